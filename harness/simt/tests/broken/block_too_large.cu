// EXPECT: CRASH: more threads than a block may have.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void nothing() {}

ASSAY_KERNEL_TEST(block_too_large) {
  launch_kernel(nothing, {1, dim3(32, 33)});
  return "";
}
