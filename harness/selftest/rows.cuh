// The common parts of planted kernels of rows, softmax above all, so that each of them shows its bug and little else.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
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
template <class T, void (*softmax)(const T* x, T* y, int64_t cols)>
void run_rows(const Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  launch(softmax, device::block_for_each(call, rows), call.in<T>("x"), call.out<T>("y"), cols);
}

// A block per row. x, y: (T, E)  gamma, beta: (E)  mean, rstd: (T)
template <void (*layer_norm)(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd,
                             int64_t dim, float eps)>
void run_layer_norm(const Call& call) {
  if (call.dim("T") == 0) return;
  launch(layer_norm, device::block_for_each(call, call.dim("T")), call.in<float>("x"), call.in<float>("gamma"),
         call.in<float>("beta"), call.out<float>("y"), call.out<float>("mean"), call.out<float>("rstd"), call.dim("E"),
         call.real("eps"));
}

}  // namespace assay::selftest
