// EXPECT: CRASH: an assertion fails in one thread.
// RUNS IN: fast and checked
#include <cassert>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void asserting(int limit) {
  __syncthreads();
  assert(threadIdx.y < limit && "row in range");
}

ASSAY_KERNEL_TEST(assertion) {
  launch_kernel(asserting, {1, dim3(8, 4)}, 3);
  return "";
}
