// EXPECT: BARRIER: a shuffle reads lanes that have returned from the kernel.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void reads_a_returned_lane_kernel(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, static_cast<int>(threadIdx.x), 16);
}

ASSAY_KERNEL_TEST(reads_a_returned_lane) {
  std::vector<int> out(32);
  launch_kernel(reads_a_returned_lane_kernel, {1, 32}, out.data());
  return "";
}
