// The decisions of a check before a case runs: which kernels, which suite, which part of its cases.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/search/plan.h"
#include "harness/search/regressions.h"
#include "harness/search/shard.h"
#include "harness/search/suite.h"

namespace assay {

inline bool has_own_kernels(const CheckArguments& arguments) {
  return arguments.loaded || !arguments.kernels.files.empty();
}

// Loads the user's kernels and selects them.
Result<LoadedKernels> take_own_kernels(CheckArguments& arguments);

// The folders that failures are read from and saved to: beside the file that fails, unless an option says otherwise.
struct SavedPlaces {
  std::vector<std::string> read;
  FolderOf save;
};

// A check that can begin.
struct PreparedCheck {
  LoadedKernels own;
  Suite suite;
  SavedPlaces saved;
  Shard shard;
  Plan plan;
};

// Errors: no such suite, a shard or a selection that cannot be.
Result<PreparedCheck> prepare_check(const CheckArguments& arguments, LoadedKernels own);

}  // namespace assay
