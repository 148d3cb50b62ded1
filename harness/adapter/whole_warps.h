// Finds out whether a block of a kernel must be of whole warps.
#pragma once

#include "harness/adapter/kernel_source.h"

namespace assay {

// Whether a kernel, or a function of the file that it calls, or one that this calls, works by whole warps: it divides
// its block into them or into tiles, or exchanges data within them.
bool works_by_warps(const CudaSource& source, const KernelSource& kernel);

}  // namespace assay
