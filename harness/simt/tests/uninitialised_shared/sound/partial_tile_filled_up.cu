// EXPECT: PASS: the last tile of a row is filled up with zeros and added up whole.
#include "harness/simt/tests/kernel_test.h"

__global__ void partial_tile_filled_up_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x, first = blockIdx.x * 64;
  tile[t] = first + t < n ? x[first + t] : 0;
  __syncthreads();
  if (t > 0) return;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += tile[i];
  out[blockIdx.x] = sum;
}

ASSAY_KERNEL_TEST(partial_tile_filled_up) {
  float* const out = output<float>("out", 2);
  const float* const x = input<float>("x", 100);
  launch_kernel(partial_tile_filled_up_kernel, {2, 64}, out, x, 100);
  float sum = 0;
  for (int i = 64; i < 100; ++i) sum += x[i];
  return out[1] == sum ? "" : "a sum is wrong";
}
