// Tiles of queries and keys, softmax kept online (kernels/device/flash_forward.cuh).
//
// Against stored_scores: a key or value is read once per tile of queries instead of once per query, in packs of 16
// bytes, and no score is stored. Where the probabilities are wanted, a second kernel computes the scores of every tile
// again and divides by the maximum and sum that the first has left: half as much arithmetic again, but each tile on
// its own, so that the blocks of a short sequence fill a machine.
#include "kernels/device/flash_forward.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/no_bias.cuh"
#include "kernels/device/scaled.cuh"

namespace {

using namespace assay::device;

// A block has the probabilities of a tile of queries and 32 keys of one head. q, k as flash_forward has them; maximum,
// total: (heads, T); probs: (heads, width, width). Its shared memory: a tile of queries, one of keys.
template <class T>
__global__ void __launch_bounds__(kFlashThreadsMax)
    store_probs(const T* q, const T* k, const float* maximum, const float* total, T* probs, AttentionArgs a,
                int64_t width) {
  extern __shared__ Pack<float> probs_memory[];
  const int queries = flash_queries(blockDim.x);
  float* const q_tile = probs_memory->values;
  float* const k_tile = q_tile + queries * kTileStride;
  const int64_t key_tiles = (a.keys + kTileKeys - 1) / kTileKeys, query_tiles = (a.queries + queries - 1) / queries;
  const int64_t first_key = blockIdx.x % key_tiles * kTileKeys, h = blockIdx.x / key_tiles / query_tiles;
  const int64_t first_query = blockIdx.x / key_tiles % query_tiles * queries;
  const int row = static_cast<int>(threadIdx.x) / kRowLanes * kThreadRows;
  const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
  q += a.q.at(0, 0, h);
  k += a.kv.at(0, 0, a.kv_head(h));

  float products[kThreadRows][kThreadKeys] = {};
  const bool seen = first_key < first_query + queries;  // by some query of the block
  for (int64_t d = 0; seen && d < a.dim; d += kTileColumns) {
    __syncthreads();
    load_tile(q_tile, queries, q, {a.q.token, a.queries, a.dim, first_query, d});
    load_tile(k_tile, kTileKeys, k, {a.kv.token, a.keys, a.dim, first_key, d});
    __syncthreads();
    add_products(products, q_tile + row * kTileStride, k_tile + lane * kTileStride, a.dim - d);
  }
  for (int r = 0; r < kThreadRows; ++r) {
    const int64_t i = first_query + row + r;
    if (i >= a.queries) continue;
    const float largest = maximum[h * a.queries + i], sum = total[h * a.queries + i];
    for (int n = 0; n < kThreadKeys; ++n) {
      const int64_t j = first_key + lane + n * kRowLanes;
      if (j >= a.keys) continue;
      const float p = j < a.visible(i) ? expf(scaled(products[r][n], a.scale) - largest) / sum : 0;
      probs[score_row(h, i, width) + j] = static_cast<T>(p);
    }
  }
}

int64_t probs_blocks(const assay::Case& c, unsigned block) {
  const int64_t tokens = c.dim("T"), queries = flash_queries(block);
  return c.dim("H") * ((tokens - 1) / queries + 1) * ((tokens - 1) / kTileKeys + 1);
}

bool saves(const assay::Case& c) { return c.text("probs") == "saved"; }

std::optional<std::string> unsupported(const assay::Case& c) {
  constexpr unsigned kSmallest = kWarp;  // block: most tiles of queries
  const int64_t dim = c.dim("ad") - c.dim("pad");
  if (flash_blocks(1, c.dim("H"), c.dim("T"), dim, kSmallest, 1) > INT32_MAX ||
      (saves(c) && probs_blocks(c, kSmallest) > INT32_MAX))
    return "at worst a block per 8 queries and 32 keys or 64 elements of a head, and a grid has at most 2^31 - 1 "
           "blocks";
  return std::nullopt;
}

int64_t workspace_bytes(const assay::Case& c) {
  return saves(c) ? 2 * c.dim("H") * c.dim("T") * int64_t{sizeof(float)} : 0;
}

void run(assay::Call& call) {
  const AttentionArgs a = head_major_args(call.c());
  const int64_t rows = a.heads * a.queries;
  SoftmaxSums sums;
  if (saves(call.c())) sums = {.maximum = call.workspace<float>(), .total = call.workspace<float>() + rows};
  assay::by_dtype(call, [&]<class T>() {
    const auto *q = call.in<T>("q"), *k = call.in<T>("k");
    auto* out = call.out<T>("out");
    launch_flash_forward<T>(a, call.block(), {.q = q, .k = k, .v = call.in<T>("v"), .o = out, .sums = sums}, NoBias());
    launch_clear_padding(out, rows, a.dim, call.dim("ad"));
    if (!saves(call.c())) return;
    const size_t shared = sizeof(float) * static_cast<size_t>((flash_queries(call.block()) + kTileKeys) * kTileStride);
    assay::launch(store_probs<T>,
                  {.grid = dim3(static_cast<unsigned>(probs_blocks(call.c(), call.block()))),
                   .block = dim3(call.block()),
                   .shared_bytes = shared},
                  q, k, sums.maximum, sums.total, call.out<T>("probs"), a, call.dim("aw"));
  });
}

const assay::RegisterVariant kVariant(
    {.op = "attention_causal_head_major",
     .name = "flash_tiled",
     .summary = "tiles of queries and keys, online softmax; probabilities tile by tile",
     .blocks = {32, 64, 96, 128, 256},
     .unsupported = unsupported,
     .element_at = head_major_element_at,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
