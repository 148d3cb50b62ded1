// EXPECT: PASS: one lane waits in a __syncwarp while the others of its warp spin on a flag that another warp sets.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void meet_after_spinning(int* out, int* flag) {
  const bool first_warp = threadIdx.x < 32;
  if (threadIdx.x == 63) atomicExch(flag, 1);
  if (!first_warp) return;
  if (threadIdx.x != 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  __syncwarp();
  out[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) + 1, 0);
}

ASSAY_KERNEL_TEST(lane_waits_for_spinners) {
  std::vector<int> out(32, 0);
  int flag = 0;
  launch_kernel(meet_after_spinning, {1, 64}, out.data(), &flag);
  for (const int value : out)
    if (value != 1) return "lane 0 was left behind";
  return "";
}
