// EXPECT: BARRIER: the second half of the block goes round a loop with a barrier once more than the first. Every thread
// then waits where the one after it waits or waited, so only the first and the last, compared with each other, tell.
// RUNS IN: fast
#include "harness/simt/tests/rounds.h"

using assay::simt::launch_kernel;

__global__ void more_rounds_later(int* out) { go_round(out, threadIdx.x < 32 ? 3 : 4); }

ASSAY_KERNEL_TEST(later_threads_loop_on) {
  std::vector<int> out(64);
  launch_kernel(more_rounds_later, {1, 64}, out.data());
  return "";
}
