// The declarations of a file and its headers that kernels reach, as assay_read has them (harness/reader/pieces.h), and
// the text that they make: a file of its own, which needs none of the user's headers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay {

struct Piece {
  std::string text, file;
  int line = 0;
  std::string opens;                  // by using namespace: "namespace a {}", as no other piece may be in it
  std::vector<std::string> scopes;    // namespaces around it, "" one without a name
  bool is_c = false;                  // in extern "C" { }
  std::vector<std::string> defines;   // "#define N 4", of the macros that it names
  std::vector<std::string> includes;  // "<cmath>", of the system and the executor
  std::vector<size_t> needs;          // as indices
  bool always = false;                // whatever else is there
  std::set<std::string> traits = {};  // of its code: "warps", "vectors", … (harness/reader/references.h)
  std::string assembly = {};          // the place of inline PTX; "" where it has none
  size_t order = 0;                   // among the others, as a compiler must see them
};

// All that some entries reach: the text is "" where no declaration is called like one of them.
struct ReachedPieces {
  std::string text;
  std::set<std::string> traits = {};
  std::string assembly = {};
};

struct FilePieces {
  std::vector<Piece> pieces;
  std::vector<std::string> missing;               // headers that are not there
  std::map<std::string, std::set<size_t>> roots;  // of the kernels by their names, and of the launchers by "name()"
  std::map<std::string, std::set<size_t>> names;  // of all declarations whose names were asked for

  // The declarations that these entries reach, and the others that have such a name: an adapter may give a kernel one
  // of the file's types.
  ReachedPieces reached(const std::set<std::string>& entries, const std::set<std::string>& words = {}) const;
};

}  // namespace assay
