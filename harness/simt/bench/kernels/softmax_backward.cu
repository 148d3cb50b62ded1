// Benchmark (a): softmax backward, one block for each row. A tree reduction of 256 threads has nine barriers, and the
// work between two of them is one addition: this measures the barrier.
#include <cuda_runtime.h>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/include/simt/launch.h"

__global__ void softmax_backward_kernel(float* dx, const float* y, const float* g, int cols) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  y += static_cast<size_t>(blockIdx.x) * cols;
  g += static_cast<size_t>(blockIdx.x) * cols;
  dx += static_cast<size_t>(blockIdx.x) * cols;
  float dot = 0.0f;
  for (int i = t; i < cols; i += blockDim.x) dot += y[i] * g[i];
  partial[t] = dot;
  __syncthreads();
  for (int stride = 128; stride > 0; stride >>= 1) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  dot = partial[0];
  for (int i = t; i < cols; i += blockDim.x) dx[i] = y[i] * (g[i] - dot);
}

__attribute__((visibility("default"))) void assay::bench::softmax_backward(float* dx, const float* y, const float* g,
                                                                           int rows, int cols) {
  simt::launch_kernel(softmax_backward_kernel, {static_cast<unsigned>(rows), 256}, dx, y, g, cols);
}
