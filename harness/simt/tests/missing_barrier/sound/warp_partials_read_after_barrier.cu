// EXPECT: PASS: the first thread adds the partial sums of the warps behind a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void warp_partials_read_after_barrier_kernel(float* out, const float* x) {
  __shared__ float partial[4];
  const int t = threadIdx.x;
  float sum = x[blockIdx.x * 128 + t];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}

ASSAY_KERNEL_TEST(warp_partials_read_after_barrier) {
  float* const out = output<float>("out", 2);
  const float* const x = input<float>("x", 256);
  launch_kernel(warp_partials_read_after_barrier_kernel, {2, 128}, out, x);
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[i];
  return out[0] + out[1] == sum ? "" : "a sum is wrong";
}
