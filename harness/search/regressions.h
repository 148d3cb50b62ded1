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

// Where cases go that were repaired: beside a folder that is named "regressions", else below it. What is there stays a
// test: read_saved() has both.
std::string fixed_folder(const std::string& regressions);

// The cases of the folder, then those that were repaired.
Result<std::vector<SavedCase>> read_saved(const std::string& regressions);

// Moves a file of a repaired case to fixed_folder(); returns where it is. Error: a file is there that says something
// else, or a file system's.
Result<std::string> move_to_fixed(const std::string& path);

// A patch for `git apply` and `patch -p1` that adds every .case file of `directory` as a file of `target`, a folder
// below the repository's. "" where there are none.
Result<std::string> regressions_patch(const std::string& directory, const std::string& target);

// Writes a failing row's case as one line with a comment on what it showed. The file's name comes from the case,
// so saving it again changes nothing. Returns the path.
Result<std::string> save_regression(const ResultRow& row, const std::string& directory);

}  // namespace assay
