// How the executor runs kernels: each thread as a fiber, or a block's threads in loops where a compiler could split the
// kernel (harness/simt/regions).
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// Chooses by ASSAY_ENGINE: "fibers", the usual, or "regions", which loads the kernels that were compiled to be split in
// place of their twins; under a debugger it is fibers. An error says that the value is another, or that the build has no such kernels.
Result<void> choose_engine();

// A line for each kernel that was compiled to be split: "split", "split by warps" or "fibers: why". Empty with fibers.
std::vector<std::string> engines_of_kernels();

}  // namespace assay
