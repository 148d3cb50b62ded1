// How the executor runs kernels: each thread as a fiber, or a block's threads in loops where a compiler could split the
// kernel (harness/simt/regions).
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// Chooses by ASSAY_ENGINE: "fibers", the usual, or "regions", which loads the built-in kernels that were compiled to be
// split in place of their twins; under a debugger it is fibers. Gives why they run as fibers where there are no such;
// "" where there are. An error says that the value is another.
Result<std::string> choose_engine();

// Whether it is regions.
bool splits_kernels();

// A line for each kernel that was compiled to be split: "split", "split by warps" or "fibers: why". Empty with fibers.
std::vector<std::string> engines_of_kernels();

// How many there are, and a line for each behind the first `known` that is not split: "NAME stays with fibers: why".
size_t kernels_known_to_engine();
std::vector<std::string> left_to_fibers(size_t known);

}  // namespace assay
