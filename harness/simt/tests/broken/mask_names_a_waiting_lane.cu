// EXPECT: BARRIER: lanes of a branch name the whole warp, whose other half waits at a barrier.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void mask_names_a_waiting_lane_kernel(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value += __shfl_down_sync(0xffffffff, value, 8);
  __syncthreads();
  out[threadIdx.x] = value;
}

ASSAY_KERNEL_TEST(mask_names_a_waiting_lane) {
  std::vector<int> out(64);
  launch_kernel(mask_names_a_waiting_lane_kernel, {1, 64}, out.data());
  return "";
}
