// Saved failures: files of one case line each, replayed before anything new is tried.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/result/row.h"

namespace assay {

struct SavedCase {
  std::string path;
  std::string line;  // the case line
};

// The case lines of a .case file: '#' starts a comment, blank lines are skipped.
Result<std::vector<SavedCase>> read_case_file(const std::string& path);

// All of DIR/*.case, sorted by name; none when there is no such folder.
Result<std::vector<SavedCase>> read_regressions(const std::string& directory);

// Writes a failing row's case as one line with a comment on what it showed. The file's name comes from the case,
// so saving it again changes nothing. Returns the path.
Result<std::string> save_regression(const ResultRow& row, const std::string& directory);

}  // namespace assay
