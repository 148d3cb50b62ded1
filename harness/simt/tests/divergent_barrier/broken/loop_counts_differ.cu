// EXPECT: BARRIER: the last four threads of each warp go round a loop with a barrier once more than the others.
// RUNS IN: fast
#include "harness/simt/tests/rounds.h"

using assay::simt::launch_kernel;

__global__ void uneven_rounds(int* out) { go_round(out, threadIdx.x % 32 < 28 ? 3 : 4); }

ASSAY_KERNEL_TEST(loop_counts_differ) {
  std::vector<int> out(64);
  launch_kernel(uneven_rounds, {1, 64}, out.data());
  return "";
}
