// EXPECT: BARRIER: two halves of a warp wait for each other with different masks.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void masks_contradict_kernel(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0xffffffff : 0xfffffff0;
  out[threadIdx.x] = __ballot_sync(mask, 1);  // HERE
}

ASSAY_KERNEL_TEST(masks_contradict) {
  std::vector<int> out(32);
  launch_kernel(masks_contradict_kernel, {1, 32}, out.data());
  return "";
}
