// EXPECT: PASS: tiles of every size, parts of tiles, their shuffles, votes and matches.
// RUNS IN: fast and checked
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

namespace cg = cooperative_groups;

// Whether a tile of N threads of a block of 96 behaves; `t` is the thread's rank in the block.
template <unsigned N>
__device__ bool tile_is_right(const cg::thread_block_tile<N>& tile, unsigned t) {
  const unsigned rank = t % N, first = t - rank;
  const unsigned everyone = N == 32 ? ~0u : (1u << N) - 1;
  bool right = tile.thread_rank() == rank && tile.size() == N && tile.num_threads() == N;
  right = right && tile.meta_group_rank() == t / N && tile.meta_group_size() == 96 / N;
  right = right && tile.shfl(t, N - 1) == first + N - 1;
  right = right && tile.shfl_up(t, 1) == (rank == 0 ? t : t - 1);
  right = right && tile.shfl_down(1000.0 * t, 1) == 1000.0 * (rank == N - 1 ? t : t + 1);
  right = right && tile.shfl_xor(t, N / 2) == first + (rank ^ (N / 2));
  right = right && tile.any(rank == N - 1) == 1 && tile.any(rank == N) == 0;
  right = right && tile.all(rank < N) == 1 && tile.all(rank == 0) == (N == 1);
  right = right && tile.ballot(rank % 2 == 0) == (0x55555555u & everyone);
  right = right && tile.match_any(rank / 2) == (3u << rank / 2 * 2 & everyone);
  int equal = -1;
  right = right && tile.match_all(first, equal) == everyone && equal == 1;
  right = right && tile.match_all(rank, equal) == (N == 1 ? 1u : 0u) && equal == (N == 1);
  tile.sync();
  cg::sync(tile);
  return right;
}

__global__ void cooperative_tiles_kernel(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  bool right =
      tile_is_right<32>(cg::tiled_partition<32>(block), t) && tile_is_right<16>(cg::tiled_partition<16>(block), t) &&
      tile_is_right<8>(cg::tiled_partition<8>(block), t) && tile_is_right<4>(cg::tiled_partition<4>(block), t) &&
      tile_is_right<2>(cg::tiled_partition<2>(block), t) && tile_is_right<1>(cg::tiled_partition<1>(block), t);
  const auto half = cg::tiled_partition<16>(cg::tiled_partition<32>(block));
  const auto quarter = cg::tiled_partition<4>(half);
  right = right && half.meta_group_rank() == t / 16 % 2 && half.meta_group_size() == 2;
  right = right && quarter.meta_group_rank() == t / 4 % 4 && quarter.meta_group_size() == 4;
  right = right && quarter.shfl(t, 3) == t / 4 * 4 + 3;
  out[t] = right;
}

}  // namespace

ASSAY_KERNEL_TEST(cooperative_tiles) {
  std::vector<int> out(96);
  launch_kernel(cooperative_tiles_kernel, {1, dim3(8, 12)}, out.data());
  for (const int right : out)
    if (right != 1) return "a tile is wrong";
  return "";
}
