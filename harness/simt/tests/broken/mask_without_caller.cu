// EXPECT: BARRIER: a lane calls a shuffle whose mask does not name it.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void mask_without_caller_kernel(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0x0000ffff, static_cast<int>(threadIdx.x), 1);
}

ASSAY_KERNEL_TEST(mask_without_caller) {
  std::vector<int> out(32);
  launch_kernel(mask_without_caller_kernel, {1, 32}, out.data());
  return "";
}
