// EXPECT: PASS: a 3-D grid of 3-D blocks, whose warps cross rows and planes of the block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void number(int* out, unsigned* lanes) {
  __shared__ int plane[4][3][5];
  plane[threadIdx.z][threadIdx.y][threadIdx.x] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
  __syncthreads();
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * 60 + t] = plane[3 - threadIdx.z][2 - threadIdx.y][4 - threadIdx.x];
  const unsigned mask = t < 32 ? ~0u : (1u << 28) - 1;
  lanes[b * 60 + t] = __shfl_sync(mask, t, 7);
}

ASSAY_KERNEL_TEST(three_dimensions) {
  std::vector<int> out(24 * 60);
  std::vector<unsigned> lanes(24 * 60);
  launch_kernel(number, {dim3(2, 3, 4), dim3(5, 3, 4)}, out.data(), lanes.data());
  for (int i = 0; i < 24 * 60; ++i) {
    const int t = i % 60, x = t % 5, y = t / 5 % 3, z = t / 15;
    if (out[i] != (4 - x) + 10 * (2 - y) + 100 * (3 - z)) return "an index is wrong";
    if (lanes[i] != (t < 32 ? 7u : 39u)) return "a lane is wrong";
  }
  return "";
}
