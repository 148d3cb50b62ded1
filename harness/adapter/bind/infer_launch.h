// How a kernel wants to be launched: as its file launches it, or else as its indices imply.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/expression.h"
#include "harness/adapter/read/kernel_source.h"

namespace assay {

struct InferredLaunch {
  AdapterLaunch launch;      // grid, block and shared, "?" where unknown; entry and args are left alone
  bool whole_warps = false;  // block sizes must be multiples of 32
  std::vector<std::string> remarks;
  std::vector<std::string> unknown;
  std::vector<std::string> guesses;       // what nothing in the file says
  std::vector<std::string> row_guesses;   // the same, but right values bear it out
  std::vector<std::string> requirements;  // that the guesses need, or that the file states
  int cost = 0;                           // of the guesses: the less, the likelier
  int authors_line = 0;                   // of the file's launch, where its grid and block are nothing else
  int any_block_line = 0;                 // likewise, and its block is any that a caller gives
  int filled_line = 0;                    // of it, where what its grid is computed from is guessed
};

// The values of a kernel's template parameters, by their names: "256", "true".
using TemplateValues = std::map<std::string, std::string>;

InferredLaunch infer_launch(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches,
                            const Contract& contract, const TemplateValues& template_values = {});

// The grid that a kernel's indices ask for in the block of `inferred`; empty where they do not say.
std::vector<std::string> grid_by_indices(InferredLaunch inferred, const KernelSource& kernel,
                                         const std::vector<Match>& matches, const Contract& contract);

// The file's own launch with values for the names that leave its grid open, best first; empty where it has none or
// nothing is open. `shared`: bytes of dynamic shared memory where those are open, too.
std::vector<InferredLaunch> filled_launches(const CudaSource& source, const KernelSource& kernel,
                                            const std::vector<Match>& matches, const Contract& contract,
                                            const TemplateValues& template_values, const std::string& shared);

// Names of the contract, for the kernel's own parameters, and the file's constants.
Names names_in_kernel(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches);

// The dim that counts rows: the first one, when the written tensors are rows of it; "" for others.
std::string rows_of(const Contract& contract);

// The file's own launch of a kernel, of the instance with those values where there are several; null when there is
// none.
const LaunchSource* own_launch(const CudaSource& source, const KernelSource& kernel, const TemplateValues& values = {});

}  // namespace assay
