// Whether a kernel's body strides over a grid of any size, as far as its text shows it.
#pragma once

#include "harness/adapter/read/kernel_source.h"

namespace assay {

// True where every use of blockIdx and gridDim in the body is part of a grid-stride loop: blockIdx.x begins one, alone
// or times blockDim.x, and gridDim.x is its step, alone or times blockDim.x. Anything else (a partial sum for each
// block, the last block of a grid, a second axis) may depend on the size that the host chose.
bool strides_by_grid(const KernelSource& kernel);

}  // namespace assay
