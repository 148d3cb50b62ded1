// EXPECT: PASS: tiles of 16 synchronise, and read what their own threads have written.
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void tile_within_itself_kernel(int* out, const int* x) {
  namespace cg = cooperative_groups;
  __shared__ int slot[32];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  slot[t] = x[t];
  tile.sync();
  out[t] = slot[t ^ 15];
}

ASSAY_KERNEL_TEST(tile_within_itself) {
  launch_kernel(tile_within_itself_kernel, {1, 32}, output<int>("out", 32), input<int>("x", 32));
  return "";
}
