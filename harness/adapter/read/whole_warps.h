// Finds out whether a block of a kernel must be of whole warps.
#pragma once

#include "harness/adapter/read/kernel_source.h"

namespace assay {

// Whether a kernel, or a function that it reaches, works by whole warps: it divides
// its block into them or into tiles, or exchanges data within them.
bool works_by_warps(const KernelSource& kernel);

}  // namespace assay
