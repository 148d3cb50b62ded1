// EXPECT: PASS: one thread of each block takes a lock by compare-and-swap to update two words that belong together.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void update_pair(int* lock, volatile int* pair) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  pair[0] = pair[0] + 1;
  pair[1] = pair[1] + pair[0];
  __threadfence();
  atomicExch(lock, 0);
}

ASSAY_KERNEL_TEST(compare_and_swap_lock) {
  int lock = 0, pair[2] = {0, 0};
  launch_kernel(update_pair, {50, 32}, &lock, static_cast<volatile int*>(pair));
  return pair[0] == 50 && pair[1] == 50 * 51 / 2 && lock == 0 ? "" : "an update was lost";
}
