// Kernels that stride over elements: their launch, and their loop.
#pragma once

#include <algorithm>

#include "harness/op/variant.h"

namespace assay::vendor {

inline Launch over_elements(int64_t count) {
  constexpr int64_t kBlock = 256, kGridMax = 1 << 16;
  return {.grid = dim3(static_cast<unsigned>(std::min((count + kBlock - 1) / kBlock, kGridMax))),
          .block = dim3(static_cast<unsigned>(kBlock))};
}

// for (int64_t i = first_element(); i < count; i += element_step())
__device__ inline int64_t first_element() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline int64_t element_step() { return int64_t{gridDim.x} * blockDim.x; }

}  // namespace assay::vendor
