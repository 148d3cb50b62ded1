// EXPECT: BARRIER: one thread in the middle of a warp goes round a loop with a barrier once more than the others.
// RUNS IN: fast
#include "harness/simt/tests/rounds.h"

using assay::simt::launch_kernel;

__global__ void one_more_round(int* out) { go_round(out, threadIdx.x == 41 ? 4 : 3); }

ASSAY_KERNEL_TEST(one_thread_loops_on) {
  std::vector<int> out(64);
  launch_kernel(one_more_round, {1, 64}, out.data());
  return "";
}
