// EXPECT: PASS: reductions and scans of CUB over warps, parts of warps and a block whose size is no power of two.
// RUNS IN: fast and checked
#include <cub/cub.cuh>

#include "harness/simt/tests/kernel_test.h"

namespace {

struct Wide {  // more than a shuffle moves
  double sum, greatest;
};
struct CombineWide {
  __device__ Wide operator()(const Wide& a, const Wide& b) const {
    return {a.sum + b.sum, a.greatest > b.greatest ? a.greatest : b.greatest};
  }
};

constexpr int kThreads = 96, kBelow = kThreads * (kThreads - 1) / 2;

__global__ void cub_block_and_warp_kernel(int* out) {
  using BlockReduce = cub::BlockReduce<int, kThreads>;
  using BlockScan = cub::BlockScan<int, kThreads>;
  __shared__ typename BlockReduce::TempStorage reduce;
  __shared__ typename cub::BlockReduce<Wide, kThreads>::TempStorage reduce_wide;
  __shared__ typename BlockScan::TempStorage scan;
  __shared__ typename cub::WarpReduce<int>::TempStorage warp[3];
  __shared__ typename cub::WarpReduce<Wide, 8>::TempStorage part[12];
  __shared__ typename cub::WarpScan<int>::TempStorage warp_scan[3];
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;

  bool right = true;
  const int sum = BlockReduce(reduce).Sum(t);
  right = right && (t > 0 || sum == kBelow);
  __syncthreads();
  const int greatest_of_ten = BlockReduce(reduce).Reduce(t, cub::Max(), 10);
  right = right && (t > 0 || greatest_of_ten == 9);
  __syncthreads();
  int items[3] = {t, 1, 2};
  const int sum_of_items = BlockReduce(reduce).Sum(items);
  right = right && (t > 0 || sum_of_items == kBelow + 3 * kThreads);
  const Wide wide = cub::BlockReduce<Wide, kThreads>(reduce_wide).Reduce(Wide{1.0, 1.0 * t}, CombineWide());
  right = right && (t > 0 || (wide.sum == kThreads && wide.greatest == kThreads - 1));

  int before = -1, all = -1, through = -1;
  BlockScan(scan).ExclusiveSum(t, before, all);
  right = right && before == t * (t - 1) / 2 && all == kBelow;
  __syncthreads();
  BlockScan(scan).InclusiveScan(kThreads - t, through, cub::Min());
  right = right && through == kThreads - t;
  __syncthreads();
  int before_items[3];
  BlockScan(scan).ExclusiveSum(items, before_items);
  right = right && before_items[0] == t * (t - 1) / 2 + 3 * t && before_items[2] == before_items[0] + t + 1;

  const int of_warp = cub::WarpReduce<int>(warp[t / 32]).Sum(lane);
  right = right && (lane > 0 || of_warp == 496);
  const Wide of_part = cub::WarpReduce<Wide, 8>(part[t / 8]).Reduce(Wide{1.0, 1.0 * t}, CombineWide());
  right = right && (t % 8 > 0 || (of_part.sum == 8 && of_part.greatest == t + 7));
  cub::WarpScan<int>(warp_scan[t / 32]).InclusiveSum(lane, through, all);
  right = right && through == lane * (lane + 1) / 2 && all == 496;
  cub::WarpScan<int>(warp_scan[t / 32]).ExclusiveSum(lane, before);
  right = right && before == lane * (lane - 1) / 2;
  out[t] = right ? 1 : 0;
}

}  // namespace

ASSAY_KERNEL_TEST(cub_block_and_warp) {
  int* const out = output<int>("out", kThreads);
  launch_kernel(cub_block_and_warp_kernel, {1, kThreads}, out);
  for (int t = 0; t < kThreads; ++t)
    if (out[t] != 1) return "a reduction or scan is wrong";
  return "";
}
