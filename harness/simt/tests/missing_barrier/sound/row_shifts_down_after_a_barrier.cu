// EXPECT: PASS: all have read before any overwrites.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_shifts_down_after_a_barrier_kernel(float* out, const float* in) {
  __shared__ float row[33];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) row[32] = 0.0f;
  __syncthreads();
  const float next = row[threadIdx.x + 1];
  __syncthreads();
  row[threadIdx.x] = next;
  out[threadIdx.x] = row[threadIdx.x];
}

ASSAY_KERNEL_TEST(row_shifts_down_after_a_barrier) {
  launch_kernel(row_shifts_down_after_a_barrier_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 32));
  return "";
}
