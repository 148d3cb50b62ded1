// Failures under an adapter that is partly a guess: which of them are the kernel's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/row.h"
#include "harness/search/task.h"

namespace assay {

using Guesses = std::map<std::string, std::string>;  // by id of the variant: what its adapter assumes

// Runs a task; nothing when the run was stopped.
using RunTask = std::function<std::optional<ResultRow>(const Task&)>;

// A wrong launch fails whatever the data, so a failure stands where the same case passes with ordinary data; every
// other one is SKIPPED, and so is what passed under that adapter, because nothing is known then.
void withhold_guessed(std::vector<ResultRow>& rows, const Guesses& guesses, const RunTask& run);

}  // namespace assay
