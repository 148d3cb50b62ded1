// EXPECT: BARRIER: a tile of 16 lanes synchronises, and the upper half of it has gone on to the barrier of the block.
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void tile_sync_in_a_branch_kernel(int* out) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.thread_rank() < 8) tile.sync();
  cg::this_thread_block().sync();
  out[threadIdx.x] = 1;
}

ASSAY_KERNEL_TEST(tile_sync_in_a_branch) {
  std::vector<int> out(32);
  launch_kernel(tile_sync_in_a_branch_kernel, {1, 32}, out.data());
  return "";
}
