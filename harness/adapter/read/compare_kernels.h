// Facts that kernels and launches of one file give of each other.
#pragma once

#include "harness/adapter/read/kernel_source.h"

namespace assay {

// Finds which kernels are specialisations or overloads of which, and names the fields of structures in launches.
void compare_kernels(CudaSource& source);

// Gives each kernel the real numbers that launches pass it (KernelSource::literals).
void take_literals(CudaSource& source);

}  // namespace assay
