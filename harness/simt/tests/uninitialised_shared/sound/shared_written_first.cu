// EXPECT: PASS: a shared array is written by the first warp and read by all, in every block.
#include "harness/simt/tests/kernel_test.h"

__global__ void shared_written_first_kernel(float* out, const float* in) {
  __shared__ float tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x], tile[threadIdx.x + 32] = in[threadIdx.x + 32];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

ASSAY_KERNEL_TEST(shared_written_first) {
  launch_kernel(shared_written_first_kernel, {3, 64}, output<float>("out", 192), input<float>("in", 64));
  return "";
}
