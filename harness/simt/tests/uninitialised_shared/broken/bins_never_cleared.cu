// EXPECT: UNINITIALISED: a radix pass of top-k counts into shared bins that nobody has cleared.
// SAYS: shared bins[
#include "harness/simt/tests/kernel_test.h"

__global__ void bins_never_cleared_kernel(int* out, const int* keys) {
  __shared__ int bins[31];
  const int t = threadIdx.x;
  atomicAdd(&bins[keys[t]], 1);  // HERE
  __syncthreads();
  if (t < 31) out[t] = bins[t];
}

ASSAY_KERNEL_TEST(bins_never_cleared) {
  launch_kernel(bins_never_cleared_kernel, {1, 128}, output<int>("out", 31), input<int>("keys", 128));
  return "";
}
