// A grid that fits the GPU reads everything once, in packs of 16 bytes; one block combines what its blocks found.
//
// Against one_block: every multiprocessor reads. Costs a second launch and 40 bytes of workspace for each block; no
// atomics, so that the sum is the same in every run.
#include <algorithm>

#include "kernels/device/finite_stats.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int64_t kBlocksMax = 132 * 4;  // of an H200: four blocks on each multiprocessor
constexpr int kFinishing = 256;

__global__ void find_partials(const float* x, FiniteStats* partials, int64_t count) {  // partials: (gridDim.x)
  __shared__ FiniteStats scratch[512];
  const bool aligned = is_pack_aligned(x);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  FiniteStats stats = no_stats();
  for (int64_t p = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; p < pack_count<float>(count); p += step) {
    const int64_t first = p * Pack<float>::kWidth;
    const Pack<float> pack = load_pack(x, first, count, aligned, 0);
    for (int j = 0; j < Pack<float>::kWidth && first + j < count; ++j) add_element(stats, pack.values[j]);
  }
  stats = block_stats(stats, scratch);
  if (threadIdx.x == 0) partials[blockIdx.x] = stats;
}

__global__ void combine_partials(const FiniteStats* partials, int64_t partial_count, StatsOutputs out, int64_t count) {
  __shared__ FiniteStats scratch[kFinishing];
  FiniteStats stats = no_stats();
  for (int64_t i = threadIdx.x; i < partial_count; i += blockDim.x) stats = combined(stats, partials[i]);
  stats = block_stats(stats, scratch);
  if (threadIdx.x == 0) write_stats(stats, count, out);
}

int64_t grid_size(const assay::Case& c) {
  const int64_t packs = pack_count<float>(c.dim("n")), block = *c.block;
  return c.grid ? *c.grid : std::min((packs + block - 1) / block, kBlocksMax);
}

int64_t workspace_bytes(const assay::Case& c) { return grid_size(c) * static_cast<int64_t>(sizeof(FiniteStats)); }

void run(assay::Call& call) {
  using Count = unsigned long long;
  const StatsOutputs out{call.out<Count>("nans"), call.out<Count>("infinities"), call.out<float>("least"),
                         call.out<float>("largest"), call.out<float>("mean")};
  const int64_t grid = grid_size(call.c());
  auto* const partials = call.workspace<FiniteStats>();  // (grid)
  if (grid > 0) assay::launch(find_partials, block_for_each(call, grid), call.in<float>("x"), partials, call.dim("n"));
  assay::launch(combine_partials, {.grid = dim3(1), .block = dim3(kFinishing)},
                static_cast<const FiniteStats*>(partials), grid, out, call.dim("n"));
}

const assay::RegisterVariant kVariant(
    {.op = "tensor_stats",
     .name = "grid_then_block",
     .summary = "a grid in packs of 16 bytes, then one block over its partial results",
     .dtypes = {assay::DType::f32},
     .blocks = {32, 64, 100, 128, 256, 512},
     .any_grid = true,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
