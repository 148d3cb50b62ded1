// EXPECT: UNINITIALISED: the first warp adds 32 partial sums in a block of four warps.
// SAYS: shared partial[4]: read by thread (4,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void partials_of_absent_warps_kernel(float* out, const float* x) {
  __shared__ float partial[32];
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = partial[t];  // HERE
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t == 0) out[0] = sum;
}

ASSAY_KERNEL_TEST(partials_of_absent_warps) {
  launch_kernel(partials_of_absent_warps_kernel, {1, 128}, output<float>("out", 1), input<float>("x", 128));
  return "";
}
