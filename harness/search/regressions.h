// Saved failures: files of one case line each, replayed before anything new is tried.
#pragma once

#include <functional>
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

// All .case files of DIR and of the folders in it, sorted by path; none when there is no such folder.
Result<std::vector<SavedCase>> read_regressions(const std::string& directory);

// The folder for failures of the kernels in a user's file: assay_regressions/NAME beside it.
std::string regressions_of(const std::string& file);
// The file that a saved case is of, by that rule; "" where no such file is there.
std::string file_of_saved(const std::string& path);

// The folder for cases that were repaired: beside a folder that is named "regressions", else below it. Cases there stay
// tests: read_saved() has both.
std::string fixed_folder(const std::string& regressions);

// The cases of each folder, then those of it that were repaired.
Result<std::vector<SavedCase>> read_saved(const std::vector<std::string>& folders);

// Moves a file of a repaired case to fixed_folder(); returns where it is. Error: a file is there that says something
// else, or a file system's.
Result<std::string> move_to_fixed(const std::string& path);

// A patch for `git apply` and `patch -p1` that adds every .case file of `directory` as a file of the folder that
// `target` has for its op/variant, below the repository's, if it has one. "" where there are none.
using FolderOf = std::function<std::string(const std::string& id)>;
Result<std::string> regressions_patch(const std::string& directory, const FolderOf& target);

// Writes a failing row's case as one line with a comment on what it showed. The file's name comes from the case,
// so saving it again changes nothing. Returns the path.
Result<std::string> save_regression(const ResultRow& row, const std::string& directory);

}  // namespace assay
