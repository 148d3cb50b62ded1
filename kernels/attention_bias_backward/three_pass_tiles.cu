// Tiles of 32 queries × 32 keys without atomics: a pass of blocks that own keys writes dK and dV, one of blocks that
// own queries writes dQ, and one of blocks that own a tile of the bias writes dBias.
//
// The last goes over everything that the bias is broadcast to: batch, query heads, and all tiles of queries where the
// bias has one row. Its sums stay in registers, and no run differs from another. It costs the scores and dP a third
// time, and a bias of one row and one head leaves it no more blocks than there are tiles of keys.
#include "kernels/device/attention_backward_passes.cuh"
#include "kernels/device/attention_bias.cuh"
#include "kernels/device/attention_delta.cuh"

namespace {

using namespace assay::device;

// Where the bias has one row, a block owns it for all queries.
__host__ __device__ int64_t row_tiles(const BroadcastExtents& bias) { return tiles(bias.queries); }

template <class T>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin)
    bias_gradients(BackwardInputs<T, AttentionBias<T>> in, BiasGradientRows gradient, T* dbias) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const BroadcastExtents& bias = gradient.extents;
  const int64_t j0 = blockIdx.x % tiles(a.keys) * kTileSide, row_tile = blockIdx.x / tiles(a.keys);
  const int64_t row0 = row_tile % row_tiles(bias) * kTileSide, head = row_tile / row_tiles(bias) % bias.heads;
  const int64_t batch = row_tile / row_tiles(bias) / bias.heads, group = a.heads / bias.heads;
  const bool one_row = bias.queries == 1, one_batch = bias.batches == 1;

  float sums[kPairQueries][kPairKeys] = {};
  for (int64_t b = batch; b < (one_batch ? a.batch : batch + 1); ++b)
    for (int64_t h = head * group; h < (head + 1) * group; ++h)
      for (int64_t i0 = row0; i0 < (one_row ? a.queries : row0 + 1); i0 += kTileSide) {
        const int64_t last = i0 + kTileSide < a.queries ? i0 + kTileSide - 1 : a.queries - 1;
        if (j0 >= a.visible(last)) continue;
        weigh_pairs(in, tile, {.b = b, .h = h, .i0 = i0, .j0 = j0}, Resident::nothing);
        for (int m = 0; m < kPairQueries; ++m)
          for (int n = 0; n < kPairKeys; ++n) sums[m][n] += tile.ds.values[pair_query(m)][pair_key(n)];
      }

  __syncthreads();
  for (int m = 0; m < kPairQueries; ++m)
    for (int n = 0; n < kPairKeys; ++n) tile.ds.values[pair_query(m)][pair_key(n)] = sums[m][n];
  __syncthreads();
  T* const rows = dbias + gradient.at(batch, head, 0);
  const int j = static_cast<int>(threadIdx.x) % kTileSide;
  if (j0 + j >= a.keys) return;
  if (one_row) {
    if (threadIdx.x >= kTileSide) return;
    float sum = 0;
    for (int i = 0; i < kTileSide; ++i) sum += tile.ds.values[i][j];
    rows[j0 + j] = static_cast<T>(sum);
    return;
  }
  for (int i = static_cast<int>(threadIdx.x) / kTileSide; i < kTileSide; i += kTileThreads / kTileSide)
    if (row0 + i < bias.queries) rows[(row0 + i) * gradient.stride + j0 + j] = static_cast<T>(tile.ds.values[i][j]);
}

int64_t bias_blocks(const BroadcastExtents& bias, int64_t keys) {
  return bias.batches * bias.heads * row_tiles(bias) * tiles(keys);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (bias_blocks(broadcast_extents(c, "bias"), c.dim("Sk")) > INT32_MAX)
    return "a block per tile of the bias, and a grid has at most 2^31 - 1 blocks";
  return unsupported_by_passes(c);
}

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  const BiasGradientRows gradient = bias_gradient_rows(call.c());
  assay::by_dtype(call, [&]<class T>() {
    const auto in =
        backward_inputs<T>(call, given_or_computed_delta<T>(call, a, call.workspace<float>()), attention_bias<T>(call));
    launch_key_gradients<false>(call, in, nullptr);
    launch_query_gradients(call, in);
    assay::launch(
        bias_gradients<T>,
        {.grid = dim3(static_cast<unsigned>(bias_blocks(gradient.extents, a.keys))), .block = dim3(kTileThreads)}, in,
        gradient, call.out<T>("dbias"));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_bias_backward",
                                       .name = "three_pass_tiles",
                                       .summary = "a pass over tiles for dK and dV, one for dQ, one for dBias",
                                       .domains = {any_dbias_pad()},
                                       .unsupported = unsupported,
                                       .element_at = attention_bias_element_at,
                                       .workspace_bytes = delta_bytes,
                                       .run = run});

}  // namespace
