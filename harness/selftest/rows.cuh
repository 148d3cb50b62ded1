// The common parts of planted softmax kernels, so that each of them shows its bug and little else.
#pragma once

#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace assay::selftest {

// The maximum of a row of `cols` elements. scratch: (blockDim.x).
template <class T>
__device__ float row_maximum(const T* row, int64_t cols, float* scratch) {
  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    maximum = device::Larger()(maximum, static_cast<float>(row[c]));
  return device::block_reduce(maximum, scratch, device::Larger());
}

// The sum of exp(element - maximum) over a row of `cols` elements. scratch: (blockDim.x).
template <class T>
__device__ float row_total(const T* row, int64_t cols, float maximum, float* scratch) {
  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(static_cast<float>(row[c]) - maximum);
  return device::block_reduce(total, scratch, device::Add());
}

// A block per row. x, y: (rows, cols)
template <class T>
void launch_rows(const Call& call, void (*softmax)(const T* x, T* y, int64_t cols)) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  launch(softmax, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(call.block())}, call.in<T>("x"),
         call.out<T>("y"), cols);
}

}  // namespace assay::selftest
