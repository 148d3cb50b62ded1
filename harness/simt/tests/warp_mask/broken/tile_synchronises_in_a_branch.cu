// EXPECT: BARRIER: some threads of a tile synchronise it, and the others have gone on to a barrier.
// RUNS IN: fast and checked
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void tile_synchronises_in_a_branch_kernel(int* out, const int* x) {
  namespace cg = cooperative_groups;
  __shared__ int slot[32];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  slot[t] = x[t];
  if (x[t] > 15) tile.sync();      // HERE
  cg::this_thread_block().sync();  // HERE
  out[t] = slot[31 - t];
}

ASSAY_KERNEL_TEST(tile_synchronises_in_a_branch) {
  launch_kernel(tile_synchronises_in_a_branch_kernel, {1, 32}, output<int>("out", 32), input<int>("x", 32));
  return "";
}
