// EXPECT: UNINITIALISED: the last tile of a row is loaded in part and added up whole.
// SAYS: shared tile[36]
// SAYS: this block has not written it
#include "harness/simt/tests/kernel_test.h"

__global__ void partial_tile_read_whole_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x, first = blockIdx.x * 64;
  if (first + t < n) tile[t] = x[first + t];
  __syncthreads();
  if (t > 0) return;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += tile[i];  // HERE
  out[blockIdx.x] = sum;
}

ASSAY_KERNEL_TEST(partial_tile_read_whole) {
  launch_kernel(partial_tile_read_whole_kernel, {2, 64}, output<float>("out", 2), input<float>("x", 100), 100);
  return "";
}
