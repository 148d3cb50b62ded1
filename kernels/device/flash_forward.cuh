// The tiled attention forward, for ops that differ in what they do to a score before the softmax.
//
// A block serves a tile of queries of one head: 8 for each of its warps. It goes through the keys in tiles of 32 and
// through heads in pieces of 64 elements, both in shared memory as f32, and never stores a score: the softmax is kept
// online (online_softmax.cuh). A thread computes 4 queries times 2 keys of the scores and 4 queries times 4 columns of
// every 64 of the output, which stays in registers. Tiles of keys that no query of the block sees are not read.
//
// Up to 256 elements of a head are computed by one block. Larger heads are cut into slices, one block each, which
// compute the scores again: that costs (1 + slices) / 2 times the arithmetic. Heads of more than 64 elements also read
// their queries again for every tile of keys, from cache; shared memory would hold them for few queries only.
#pragma once

#include "kernels/device/attention.cuh"
#include "kernels/device/online_softmax.cuh"

namespace assay::device {

constexpr int kFlashThreadsMax = 256;
constexpr int kSliceTilesMax = 4;  // more than 4 tiles of 16 accumulators would not stay in registers

// Queries of a block.
__host__ __device__ inline int flash_queries(unsigned block) {
  return static_cast<int>(block) / kRowLanes * kThreadRows;
}

// Shared memory of a block: queries, weights, and keys or values. 35 KiB for 256 threads.
inline size_t flash_shared_bytes(unsigned block) {
  const int queries = flash_queries(block);
  return sizeof(float) * static_cast<size_t>(queries * (kTileStride + kWeightStride) + kTileKeys * kTileStride);
}

// One tile of queries, of keys, and 64 elements of their heads: adds to the products of this thread's rows and keys.
// query: its rows; key: from its first key on; columns: how many of the 64 there are.
__device__ inline void add_products(float (&products)[kThreadRows][kThreadKeys], const float* query, const float* key,
                                    int64_t columns) {
  for (int d = 0; d < kTileColumns && d < columns; d += 4) {
    Pack<float> k[kThreadKeys];
    for (int n = 0; n < kThreadKeys; ++n) k[n] = pack_at(key + n * kRowLanes * kTileStride + d);
    for (int r = 0; r < kThreadRows; ++r) {
      const Pack<float> q = pack_at(query + r * kTileStride + d);
      for (int n = 0; n < kThreadKeys; ++n)
        for (int i = 0; i < 4; ++i) products[r][n] += q.values[i] * k[n].values[i];
    }
  }
}

// The place where a thread works. Causal queries see the more keys the later they come, so the last tiles go first and
// the short ones fill up.
struct FlashPlace {
  int64_t b, h;
  int64_t block_query;   // first query of the block
  int64_t slice_column;  // first column of its output
  int row, warp_row;     // first row of the thread, of its warp, in the tile of queries
  int lane;              // among the threads that share a row

  __device__ FlashPlace(const AttentionArgs& a, int queries, int64_t slice_columns) {
    const int64_t slices = (a.dim + slice_columns - 1) / slice_columns, tiles = (a.queries + queries - 1) / queries;
    const int64_t tile = blockIdx.x / slices;
    slice_column = blockIdx.x % slices * slice_columns;
    block_query = (tiles - 1 - tile % tiles) * queries;
    h = tile / tiles % a.heads;
    b = tile / tiles / a.heads;
    row = threadIdx.x / kRowLanes * kThreadRows;
    warp_row = threadIdx.x / kWarp * kWarpRows;
    lane = threadIdx.x % kRowLanes;
  }
  // Keys that the queries [block_query + first_row, block_query + end_row) see, as far as there are such queries.
  __device__ int64_t visible(const AttentionArgs& a, int first_row, int end_row) const {
    if (block_query + first_row >= a.queries) return 0;
    const int64_t end = block_query + end_row;
    return a.visible((end < a.queries ? end : a.queries) - 1);
  }
};

// Products of a tile become scores: -inf where a query does not see a key. key: the thread's first.
template <class Adjust>
__device__ void adjust_scores(float (&scores)[kThreadRows][kThreadKeys], const AttentionArgs& a, const FlashPlace& at,
                              int64_t key, const Adjust& adjust) {
  for (int r = 0; r < kThreadRows; ++r) {
    const int64_t i = at.block_query + at.row + r, visible = i < a.queries ? a.visible(i) : 0;
    for (int n = 0; n < kThreadKeys; ++n) {
      const int64_t j = key + n * kRowLanes;
      scores[r][n] = j < visible ? adjust(scores[r][n] * a.scale, i, j) : -INFINITY;
    }
  }
}

// Other wanted results of the rows' softmax, (B, H, Sq); null where they are not.
struct SoftmaxSums {
  float *lse = nullptr, *maximum = nullptr, *total = nullptr;

  __device__ void write(int64_t row, float largest, float sum) const {
    if (lse) lse[row] = largest + logf(sum);
    if (maximum) maximum[row] = largest;
    if (total) total[row] = sum;
  }
};

// A warp's outputs take the place of its queries, which nobody else reads, so that they can be written in packs.
template <class T, int kTiles>
__device__ void write_outputs(const OnlineSoftmax<kTiles>& softmax, float* q_tile, T* o, const SoftmaxSums& sums,
                              const AttentionArgs& a, const FlashPlace& at) {
  const int64_t query = at.block_query + at.row;
  for (int r = 0; r < kThreadRows; ++r)
    if (at.lane == 0 && at.slice_column == 0 && query + r < a.queries)
      sums.write((at.b * a.heads + at.h) * a.queries + query + r, softmax.maximum[r], softmax.total[r]);
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const int64_t column = at.slice_column + t * kTileColumns;
    if (column >= a.dim) continue;
    __syncwarp();
    for (int r = 0; r < kThreadRows; ++r)
      for (int i = 0; i < 4; ++i) q_tile[(at.row + r) * kTileStride + at.lane * 4 + i] = softmax.out[t][r][i];
    __syncwarp();
    store_tile(q_tile + at.warp_row * kTileStride, kWarpRows, o,
               {a.q.token, a.queries, a.dim, at.block_query + at.warp_row, column});
  }
}

// adjust.to_head(b, h) comes first; then adjust(score, i, j) is the score of a pair that causality leaves, -inf where
// the pair is removed.
template <class T, int kTiles, class Adjust>
__global__ void __launch_bounds__(kFlashThreadsMax, 1)
    flash_forward(const T* q, const T* k, const T* v,  // (B, tokens, heads, D), or heads before tokens
                  T* o,                                // as q
                  SoftmaxSums sums, AttentionArgs a, Adjust adjust) {
  extern __shared__ Pack<float> flash_memory[];
  const int queries = flash_queries(blockDim.x);
  float* const q_tile = flash_memory->values;
  float* const weights = q_tile + queries * kTileStride;
  float* const kv_tile = weights + queries * kWeightStride;

  const FlashPlace at(a, queries, kTiles * kTileColumns);
  q += a.q.at(at.b, 0, at.h);
  o += a.q.at(at.b, 0, at.h);
  k += a.kv.at(at.b, 0, a.kv_head(at.h));
  v += a.kv.at(at.b, 0, a.kv_head(at.h));
  adjust.to_head(at.b, at.h);
  const float* const own_queries = q_tile + at.row * kTileStride;
  float* const own_weights = weights + at.row * kWeightStride;

  OnlineSoftmax<kTiles> softmax;
  softmax.clear();
  const int64_t block_keys = at.visible(a, 0, queries), warp_keys = at.visible(a, at.warp_row, at.warp_row + kWarpRows);
  for (int64_t key = 0; key < block_keys; key += kTileKeys) {
    const bool works = key < warp_keys;  // the whole warp agrees
    float scores[kThreadRows][kThreadKeys] = {};
    for (int64_t d = 0; d < a.dim; d += kTileColumns) {
      __syncthreads();
      if (key == 0 || a.dim > kTileColumns)
        load_tile(q_tile, queries, q, {a.q.token, a.queries, a.dim, at.block_query, d});
      load_tile(kv_tile, kTileKeys, k, {a.kv.token, a.keys, a.dim, key, d});
      __syncthreads();
      if (works) add_products(scores, own_queries, kv_tile + at.lane * kTileStride, a.dim - d);
    }
    bool removed = false;
    if (works) {
      adjust_scores(scores, a, at, key + at.lane, adjust);
      removed = softmax.add_scores(scores, own_weights + at.lane);
    }
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const int64_t column = at.slice_column + t * kTileColumns;
      if (column >= a.dim) continue;
      __syncthreads();
      load_tile(kv_tile, kTileKeys, v, {a.kv.token, a.keys, a.dim, key, column});
      __syncthreads();
      const int count = static_cast<int>(a.keys - key < kTileKeys ? a.keys - key : kTileKeys);
      if (works) softmax.add_values(t, removed, own_weights, kv_tile + at.lane * 4, count);
    }
  }
  softmax.normalise();
  write_outputs(softmax, q_tile, o, sums, a, at);
}

// Blocks of a launch: batch, heads, tiles of queries, slices of the head.
inline int64_t flash_blocks(int64_t batch, int64_t heads, int64_t queries, int64_t dim, unsigned block,
                            int slice_tiles) {
  const int64_t tiles = (queries - 1) / flash_queries(block) + 1, slices = (dim - 1) / (slice_tiles * kTileColumns) + 1;
  return batch * heads * tiles * slices;
}

inline std::optional<std::string> flash_unsupported(const Case& c) {
  constexpr unsigned kSmallest = kWarp;  // block: most tiles of queries
  if (flash_blocks(c.dim("B"), c.dim("H"), c.dim("Sq"), c.dim("D"), kSmallest, 1) > INT32_MAX)
    return "at worst a block per 8 queries and 64 elements of a head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

template <class T>
struct FlashTensors {
  const T *q, *k, *v;
  T* o;
  SoftmaxSums sums;
};

template <class T, class Adjust>
void launch_flash_forward(const AttentionArgs& a, unsigned block, const FlashTensors<T>& tensors,
                          const Adjust& adjust) {
  const auto launch_tiles = [&](auto kernel, int slice_tiles) {
    launch(kernel,
           {.grid = dim3(static_cast<unsigned>(flash_blocks(a.batch, a.heads, a.queries, a.dim, block, slice_tiles))),
            .block = dim3(block),
            .shared_bytes = flash_shared_bytes(block)},
           tensors.q, tensors.k, tensors.v, tensors.o, tensors.sums, a, adjust);
  };
  if (a.dim <= kTileColumns) return launch_tiles(flash_forward<T, 1, Adjust>, 1);
  if (a.dim <= 2 * kTileColumns) return launch_tiles(flash_forward<T, 2, Adjust>, 2);
  return launch_tiles(flash_forward<T, kSliceTilesMax, Adjust>, kSliceTilesMax);
}

// Launches for a call's q, k, v, o and lse.
template <class T, class Adjust>
void launch_flash_forward(const Call& call, const Adjust& adjust) {
  launch_flash_forward<T>(attention_args(call), call.block(),
                          {.q = call.in<T>("q"),
                           .k = call.in<T>("k"),
                           .v = call.in<T>("v"),
                           .o = call.out<T>("o"),
                           .sums = {.lse = call.out<float>("lse")}},
                          adjust);
}

}  // namespace assay::device
