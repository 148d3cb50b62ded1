// EXPECT: RACE: each thread overwrites what the one before it reads.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_shifts_down_at_once_kernel(float* out, const float* in) {
  __shared__ float row[33];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) row[32] = 0.0f;
  __syncthreads();
  const float next = row[threadIdx.x + 1];  // HERE
  row[threadIdx.x] = next;                  // HERE
  out[threadIdx.x] = row[threadIdx.x];
}

ASSAY_KERNEL_TEST(row_shifts_down_at_once) {
  launch_kernel(row_shifts_down_at_once_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 32));
  return "";
}
