// EXPECT: OUT_OF_BOUNDS: sixteen warps leave their partial sums in an array for eight.
// SAYS: index 8 of 'float
#include "harness/simt/tests/kernel_test.h"

__global__ void more_warps_than_partials_kernel(float* out, const float* x) {
  __shared__ float partial[8];
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;  // HERE
  __syncthreads();
  if (t < 8) out[t] = partial[t];
}

ASSAY_KERNEL_TEST(more_warps_than_partials) {
  launch_kernel(more_warps_than_partials_kernel, {1, 512}, output<float>("out", 8), input<float>("x", 512));
  return "";
}
