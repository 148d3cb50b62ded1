// EXPECT: PASS: groups whose kind is known when the kernel runs only, coalesced threads, and scans of tiles.
// RUNS IN: fast and checked
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/std/limits>

#include "harness/simt/tests/kernel_test.h"

namespace {

namespace cg = cooperative_groups;

// The sum of a group's values, for its first thread.
__device__ int sum_of(cg::thread_group group, int* scratch, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    cg::sync(group);
  }
  return value;
}

__global__ void cooperative_groups_of_any_kind_kernel(int* out, int* count) {
  __shared__ int scratch[64];
  const cg::thread_block block = cg::this_thread_block();
  const int t = static_cast<int>(block.thread_rank());
  bool right = sum_of(block, scratch, t) == 2016 || t > 0;
  cg::sync(block);
  const cg::thread_group part = cg::tiled_partition(block, 16);
  const int first = t / 16 * 16;
  right = right && (sum_of(part, scratch + first, t) == 16 * first + 120 || t > first) && part.size() == 16;
  const auto tile = cg::tiled_partition<8>(block);
  right = right && cg::inclusive_scan(tile, t % 8) == (t % 8) * (t % 8 + 1) / 2;
  right = right && cg::exclusive_scan(tile, 1) == t % 8 &&
          cg::exclusive_scan(tile, t, cg::greater<int>()) == (t % 8 ? t - 1 : 0);
  if (t % 3 == 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    if (together.thread_rank() == 0) atomicAdd(count, static_cast<int>(together.size()));
    right = right && cg::reduce(together, 1, cg::plus<int>()) == static_cast<int>(together.size());
  }
  right = right && cuda::std::numeric_limits<int>::max() == 0x7fffffff;
  out[t] = right ? 1 : 0;
}

}  // namespace

ASSAY_KERNEL_TEST(cooperative_groups_of_any_kind) {
  int* const out = output<int>("out", 64);
  int* const count = accumulated<int>("count", 1);
  launch_kernel(cooperative_groups_of_any_kind_kernel, {1, 64}, out, count);
  for (int t = 0; t < 64; ++t)
    if (out[t] != 1) return "a group is wrong";
  return count[0] == 22 ? "" : "coalesced threads are counted wrongly";
}
