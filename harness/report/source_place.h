// Finds a failure in source files: the lines to look at, and their text as it is when the report is made.
#pragma once

#include <string>
#include <vector>

#include "harness/report/causes.h"

namespace assay {

struct SourcePlace {
  std::string path;  // as this process can open it where it can, else the name that the finding has
  int line = 0;      // 0: only the file is known
};

// The lines that the detail names, those of the variant's own file in front; where it names none, the first line of
// the variant's kernel. Where that is unknown, the result is only the file, or nothing.
std::vector<SourcePlace> source_places(const Cause& cause);

// The same for any text about a variant that is written in this file ("": not known).
std::vector<SourcePlace> source_places(const std::string& detail, const std::string& source,
                                       const std::string& variant);

struct Excerpt {
  std::string path;
  int first = 1;  // the number of the first line
  std::vector<std::string> lines;
  std::vector<int> marked;  // numbers of the lines that it is about
};

// These places with the lines around them; lines that are near each other are in one. Files that cannot be read are
// left out.
std::vector<Excerpt> excerpts(const std::vector<SourcePlace>& places);

}  // namespace assay
