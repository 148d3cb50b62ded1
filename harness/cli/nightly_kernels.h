// The user's kernels in a nightly run.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/cli.h"

namespace assay {

// Those that the device runs: a function of the host has no checked build.
std::vector<std::string> ids_on(const LoadedKernels& own, const std::string& device);

// Those of ops that the suite has lines to measure of.
Result<std::vector<std::string>> ids_measured(const LoadedKernels& own, const std::string& bench_suite);

// The folder below the current one that the smallest failing cases of a variant belong in; "" where that is elsewhere.
std::string saved_in(const LoadedKernels& own, const std::string& id);

}  // namespace assay
