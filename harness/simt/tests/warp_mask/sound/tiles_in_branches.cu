// EXPECT: PASS: tiles of one warp in different branches meet on their own, each as often as it likes.
// RUNS IN: fast and checked
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

namespace cg = cooperative_groups;

__global__ void tiles_in_branches_kernel(int* out) {
  __shared__ int slots[64];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int value = t;
  if (tile.meta_group_rank() % 4 == 0) {
    value = cg::reduce(tile, value, cg::plus<int>());
  } else if (tile.meta_group_rank() % 4 == 1) {
    for (int round = 0; round < t / 8; ++round) {
      slots[t] = value;
      tile.sync();
      value = slots[t ^ 1] + 1;
      tile.sync();
    }
  } else if (tile.any(tile.thread_rank() == 5)) {
    value = tile.shfl(value, 7);
  }
  out[t] = cg::tiled_partition<32>(cg::this_thread_block()).shfl_xor(value, 31);
}

}  // namespace

ASSAY_KERNEL_TEST(tiles_in_branches) {
  std::vector<int> out(64);
  launch_kernel(tiles_in_branches_kernel, {1, 64}, out.data());
  for (int t = 0; t < 64; ++t) {
    const int tile = t / 8, rounds = tile;
    const int expected = tile % 4 == 0   ? 8 * tile * 8 + 28
                         : tile % 4 == 1 ? (rounds % 2 == 0 ? t : t ^ 1) + rounds
                                         : tile * 8 + 7;
    if (out[t ^ 31] != expected) return "a lane has a wrong result";
  }
  return "";
}
