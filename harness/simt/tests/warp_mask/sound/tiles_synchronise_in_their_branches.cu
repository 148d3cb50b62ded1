// EXPECT: PASS: each of two tiles takes a branch of its own and synchronises there.
// RUNS IN: fast and checked
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void tiles_synchronise_in_their_branches_kernel(int* out, const int* x) {
  namespace cg = cooperative_groups;
  __shared__ int slot[32];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  slot[t] = x[t];
  int sum = 0;
  if (tile.meta_group_rank() == 0) {
    tile.sync();
    sum = slot[t ^ 1];
  } else {
    tile.sync();
    sum = slot[t ^ 2];
    tile.sync();
    slot[t] = sum;
  }
  cg::this_thread_block().sync();
  out[t] = sum + slot[31 - t];
}

ASSAY_KERNEL_TEST(tiles_synchronise_in_their_branches) {
  launch_kernel(tiles_synchronise_in_their_branches_kernel, {1, 32}, output<int>("out", 32), input<int>("x", 32));
  return "";
}
