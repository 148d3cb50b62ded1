// Failures under an adapter that is partly a guess: which of them are the kernel's.
#pragma once

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
};
inline constexpr size_t kPassesOfAFailure = 9;
using Guesses = std::map<std::string, Guess>;  // by id of the variant

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

// A kernel that was wrong when it was tried is not right because no case of the run shows it: what passed is SKIPPED
// where nothing failed. `seen`: by id, what was wrong.
void withhold_unseen(std::vector<ResultRow>& rows, const std::map<std::string, std::string>& seen);

}  // namespace assay
