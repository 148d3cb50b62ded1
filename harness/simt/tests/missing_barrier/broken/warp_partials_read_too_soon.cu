// EXPECT: RACE: the first thread adds the partial sums of the warps before they are all written.
#include "harness/simt/tests/kernel_test.h"

__global__ void warp_partials_read_too_soon_kernel(float* out, const float* x) {
  __shared__ float partial[4];
  const int t = threadIdx.x;
  float sum = x[blockIdx.x * 128 + t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;                                           // HERE
  if (t == 0) out[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];  // HERE
}

ASSAY_KERNEL_TEST(warp_partials_read_too_soon) {
  launch_kernel(warp_partials_read_too_soon_kernel, {2, 128}, output<float>("out", 2), input<float>("x", 256));
  return "";
}
