// Numbers that count rows together, as batches and tokens do.
#pragma once

#include <cstddef>

#include "harness/adapter/read/kernel_source.h"
#include "harness/op/contract.h"

namespace assay {

// Whether the parameter at `place`, a whole number, is one of several whose product is the op's rows: by its name, or
// because the file computes a grid from what it gives it, or the kernel multiplies it by another.
bool counts_rows(const CudaSource& source, const KernelSource& kernel, size_t place, const Contract& contract);

}  // namespace assay
