// Launches of kernels that stride over elements or rows, and the loop over elements.
#pragma once

#include <algorithm>

#include "harness/op/variant.h"

namespace assay::vendor {

inline Launch blocks_of_256(int64_t blocks) {
  constexpr int64_t kGridMax = 1 << 16;
  return {.grid = dim3(static_cast<unsigned>(std::min(blocks, kGridMax))), .block = dim3(256)};
}
inline Launch over_elements(int64_t count) { return blocks_of_256((count + 255) / 256); }
inline Launch block_per_row(int64_t rows) { return blocks_of_256(rows); }

// for (int64_t i = first_element(); i < count; i += element_step())
__device__ inline int64_t first_element() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline int64_t element_step() { return int64_t{gridDim.x} * blockDim.x; }

}  // namespace assay::vendor
