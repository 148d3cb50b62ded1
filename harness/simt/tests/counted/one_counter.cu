// TOTAL: atomics=256 atomics_per_address=256 contention_max=32 sectors_per_request=1
// Every lane of every block adds to one address.
#include "harness/simt/tests/kernel_test.h"

__global__ void one_counter_kernel(unsigned* count) {
  atomicAdd(count, 1u);  // LINE: contention_max=32 sectors_per_request=1 requests=8
}

ASSAY_KERNEL_TEST(one_counter) {
  unsigned* const count = accumulated<unsigned>("count", 1);
  launch_kernel(one_counter_kernel, {4, 64}, count);
  return *count == 256 ? "" : "the count is wrong";
}
