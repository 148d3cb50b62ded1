// Failures under an adapter that is partly a guess: which of them are the kernel's.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/result/row.h"
#include "harness/search/task.h"

namespace assay {

struct Guess {
  std::string assumed;         // by the variant's adapter, in words
  std::string own_fault = {};  // the name of a verdict that is the kernel's whatever it is given; "": there is none
  bool of_grid = false;        // only a grid is: elements that stay unwritten, or are beyond the end, may be its fault

  // Whether a finding is the kernel's own under this guess.
  bool leaves(Kind kind) const {
    return name(kind) == own_fault || (of_grid && kind != Kind::unwritten && kind != Kind::out_of_bounds);
  }
};
inline constexpr size_t kPassesOfAFailure = 9;
using Guesses = std::map<std::string, Guess>;  // by id of the variant

// Whether more is guessed than grids.
inline bool is_open(const Guesses& all) {
  return std::ranges::any_of(all, [](const auto& guess) { return !guess.second.of_grid; });
}

// Runs a task; nothing when the run was stopped.
using RunTask = std::function<std::optional<ResultRow>(const Task&)>;

// A wrong launch fails whatever the data, so a failure stands where the same case passes with ordinary data, and so
// does a finding in shared memory where nine cases pass for each that fails; every other one is SKIPPED, and so is what
// passed under that adapter, because nothing is known then.
// `passed_elsewhere`: cases beside these rows, for a line of a run that has counted its own.
void withhold_guessed(std::vector<ResultRow>& rows, const Guesses& guesses, const RunTask& run,
                      size_t passed_elsewhere = 0);

// A template that nobody makes in any of its dtypes, and that is wrong in some and right in others, may never have been
// meant for the former: what was judged in these is SKIPPED. `unmade`: ids of such.
void withhold_unmade(std::vector<ResultRow>& rows, const std::set<std::string>& unmade);

// A user's kernel in a dtype where the audit finds the op's budget blind was not tested there: what passed is SKIPPED.
// The audit is of the op, whose budget is the harness's. `ids`: of the user's kernels for ops that are built in.
void withhold_blind(std::vector<ResultRow>& rows, const std::vector<std::string>& ids);

// A kernel that was wrong when it was tried is not right because no case of the run shows it: what passed is SKIPPED
// where nothing failed. `seen`: by id, what was wrong.
void withhold_unseen(std::vector<ResultRow>& rows, const std::map<std::string, std::string>& seen);

}  // namespace assay
