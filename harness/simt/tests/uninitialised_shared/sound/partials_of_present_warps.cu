// EXPECT: PASS: the first warp adds the partial sums of the warps that the block has.
#include "harness/simt/tests/kernel_test.h"

__global__ void partials_of_present_warps_kernel(float* out, const float* x) {
  __shared__ float partial[32];
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < blockDim.x / 32 ? partial[t] : 0;
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t == 0) out[0] = sum;
}

ASSAY_KERNEL_TEST(partials_of_present_warps) {
  float* const out = output<float>("out", 1);
  const float* const x = input<float>("x", 128);
  launch_kernel(partials_of_present_warps_kernel, {1, 128}, out, x);
  float sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i];
  return out[0] == sum ? "" : "the sum is wrong";
}
