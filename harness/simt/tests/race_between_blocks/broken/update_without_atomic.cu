// EXPECT: RACE: every thread adds to one element without an atomic.
// SAYS: count[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void update_without_atomic_kernel(int* count) {
  const int before = count[0];  // HERE
  count[0] = before + 1;        // HERE
}

ASSAY_KERNEL_TEST(update_without_atomic) {
  int* const count = accumulated<int>("count", 1);
  launch_kernel(update_without_atomic_kernel, {1, 64}, count);
  return *count == 64 ? "" : "an update was lost";
}
