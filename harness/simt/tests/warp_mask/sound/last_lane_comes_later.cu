// EXPECT: PASS: the last lane of a warp meets itself first, so the others have been waiting for it when all meet.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void last_lane_kernel(int* out) {
  const int lane = threadIdx.x % 32;
  if (lane == 31) __syncwarp(1u << 31);
  int sum = lane;
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  __syncthreads();
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(last_lane_comes_later) {
  std::vector<int> out(64);
  launch_kernel(last_lane_kernel, {1, 64}, out.data());
  for (int i = 0; i < 64; ++i)
    if (out[i] != 496) return "a sum is wrong";
  return "";
}
