// EXPECT: PASS: a radix pass of top-k counts into shared bins that the block has cleared.
#include "harness/simt/tests/kernel_test.h"

__global__ void bins_cleared_kernel(int* out, const int* keys) {
  __shared__ int bins[31];
  const int t = threadIdx.x;
  if (t < 31) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[keys[t]], 1);
  __syncthreads();
  if (t < 31) out[t] = bins[t];
}

ASSAY_KERNEL_TEST(bins_cleared) {
  int* const out = output<int>("out", 31);
  launch_kernel(bins_cleared_kernel, {1, 128}, out, input<int>("keys", 128));
  int sum = 0;
  for (int i = 0; i < 31; ++i) sum += out[i];
  return sum == 128 ? "" : "a count is wrong";
}
