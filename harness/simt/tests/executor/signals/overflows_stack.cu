// EXPECT: CRASH: thread (3,0,0) recurses without end.
#include "harness/simt/tests/deep.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void recurse(int* data) {
  if (threadIdx.x == 3) *data = deep(data, 1);
}

ASSAY_KERNEL_TEST(overflows_stack) {
  int zero = 0;
  launch_kernel(recurse, {1, 32}, &zero);
  return "";
}
