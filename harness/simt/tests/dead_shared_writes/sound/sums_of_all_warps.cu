// EXPECT: PASS: the sums that warps leave in shared memory are added up, by atomics in one more place.
// DETECTOR: dead_shared_writes
#include "harness/simt/tests/kernel_test.h"

__global__ void sums_of_all_warps_kernel(float* out, const float* x) {
  __shared__ float sums[2], total;
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t == 0) total = 0;
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t < 2) atomicAdd(&total, sums[t]);
  __syncthreads();
  out[t] = total;
}

ASSAY_KERNEL_TEST(sums_of_all_warps) {
  launch_kernel(sums_of_all_warps_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 64));
  return "";
}
