// EXPECT: PASS: sixteen warps leave their partial sums in an array for as many as a block may have.
#include "harness/simt/tests/kernel_test.h"

__global__ void partials_for_all_warps_kernel(float* out, const float* x) {
  __shared__ float partial[32];
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t < 16) out[t] = partial[t];
}

ASSAY_KERNEL_TEST(partials_for_all_warps) {
  float* const out = output<float>("out", 16);
  const float* const x = input<float>("x", 512);
  launch_kernel(partials_for_all_warps_kernel, {1, 512}, out, x);
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += x[15 * 32 + i];
  return out[15] == sum ? "" : "a sum is wrong";
}
