// EXPECT: RACE: tiles of 16 synchronise, and read what the other half of the warp has written.
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void tile_for_the_whole_warp_kernel(int* out, const int* x) {
  namespace cg = cooperative_groups;
  __shared__ int slot[32];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  slot[t] = x[t];  // HERE
  tile.sync();
  out[t] = slot[31 - t];  // HERE
}

ASSAY_KERNEL_TEST(tile_for_the_whole_warp) {
  launch_kernel(tile_for_the_whole_warp_kernel, {1, 32}, output<int>("out", 32), input<int>("x", 32));
  return "";
}
