// Cooperative groups of programs that `assay c++` builds: parts by predicate and label, and tiles larger than a warp.
#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class CxxGroups : public CxxProgram {};

constexpr const char* kGroups = R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;
struct Wide { int a, b, c, d; };
__device__ int wrong;
#define EXPECT(...) do { if (!(__VA_ARGS__)) { printf("thread %d: line %d\n", (int)threadIdx.x, __LINE__); atomicAdd(&wrong, 1); } } while (0)
__global__ void parts(int n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int t = threadIdx.x, lane = t % 32;
  const auto odd = cg::binary_partition(warp, t & 1);
  EXPECT(odd.size() == 16 && odd.thread_rank() == lane / 2 && odd.meta_group_size() == 2);
  EXPECT(cg::reduce(odd, lane, cg::plus<int>()) == (t & 1 ? 256 : 240));
  EXPECT(odd.shfl(lane, 3) == 6 + (t & 1) && odd.ballot(lane < 4) == 3);
  EXPECT(cg::inclusive_scan(odd, 1) == lane / 2 + 1 && cg::exclusive_scan(odd, 1) == lane / 2);
  if (lane % 4 != 3) {
    const auto here = cg::coalesced_threads();
    EXPECT(here.size() == 24);
    const auto third = cg::labeled_partition(here, lane % 4);
    EXPECT(third.size() == 8 && third.meta_group_rank() == lane % 4 && third.meta_group_size() == 3);
    EXPECT(cg::reduce(third, lane, cg::greater<int>()) == 28 + lane % 4);
    const auto few = cg::tiled_partition(here, 5);
    EXPECT(few.size() == (here.thread_rank() < 20 ? 5 : 4) && cg::reduce(few, 1, cg::plus<int>()) == few.size());
  }
  warp.sync();
  const Wide other = warp.shfl_down(Wide{t, t + 1, t + 2, t + 3}, 1);
  EXPECT(other.d == (lane < 31 ? t + 4 : t + 3));
  const cg::thread_group group = cg::tiled_partition(cg::thread_group(block), 8);
  EXPECT(group.size() == 8 && group.thread_rank() == t % 8);
}
__global__ void large() {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ int values[512];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  const auto half = cg::tiled_partition<64>(tile);
  const int t = threadIdx.x;
  EXPECT(tile.meta_group_rank() == t / 128 && tile.meta_group_size() == 4 && half.meta_group_rank() == t % 128 / 64);
  EXPECT(cg::reduce(tile, t, cg::plus<int>()) == 128 * (t / 128 * 128) + 127 * 64);
  EXPECT(cg::inclusive_scan(half, 2) == 2 * (t % 64 + 1) && cg::exclusive_scan(tile, 1) == t % 128);
  EXPECT(tile.shfl(t, 77) == t / 128 * 128 + 77 && tile.any(t % 128 == 99) && !tile.all(t % 128 != 99));
  for (int round = 0; round <= t / 128; ++round) {
    values[t] = t + round;
    SYNC(tile);
    EXPECT(values[t ^ 127] == (t ^ 127) + round);
    tile.sync();
  }
}
int main() {
  parts<<<2, 96>>>(0);
  large<<<2, 512>>>();
  int result = 0;
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpyFromSymbol(&result, wrong, sizeof result);
  std::puts(result == 0 ? "right" : "wrong");
}
)";

TEST_F(CxxGroups, PartsAndLargeTiles) { expect_right(kGroups, "'-DSYNC(x)=x.sync()'"); }

TEST_F(CxxGroups, AMissingBarrierOfATileIsFound) {
  write("groups.cu", kGroups);
  ASSERT_EQ(build("'-DSYNC(x)=' groups.cu -o groups").exit_code, 0);
  const selftest::Ran ran = run(at("groups"));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("groups.cu:48"));
}

}  // namespace
}  // namespace assay
