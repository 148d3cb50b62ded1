// EXPECT: CRASH: with two OS threads, a thread of the block that the second one runs recurses without end.
#include <unistd.h>

#include "harness/simt/tests/deep.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void recurse_on_helper(volatile int* data, pid_t caller) {
  if (threadIdx.x != 3) return;
  if (gettid() == caller)
    while (*data == 0) continue;  // leave the other block to the other OS thread
  *data = deep(data, 1);
}

ASSAY_KERNEL_TEST(helper_overflows_stack) {
  int zero = 0;
  launch_kernel(recurse_on_helper, {2, 32}, &zero, gettid());
  return "";
}
