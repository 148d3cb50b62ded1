// The attention forward on tensor cores, for ops that differ in what they do to a score before the softmax.
//
// A block of four warps serves 64 queries of one head, 16 for each warp, and goes through the keys in tiles (Dao,
// "FlashAttention-2", 2023). Queries, scores, weights and outputs stay in registers, as fragments of mma.sync: a warp's
// rows are its own, and the scores of 16 keys, which it has as D of the first product, lie as A of the second wants
// them. The softmax is kept online: maximum m, l = sum_j exp(s_j - m) and out = sum_j exp(s_j - m) v_j, the last two
// multiplied by exp(m - m') when a tile brings a larger maximum m'. Weights are rounded to the dtype for the product
// with the values, l adds them up as they were before.
//
// There is room for one tile of keys and one of values. The values are copied while the warps compute scores, the next
// keys while they multiply by the values; each barrier says both that a tile is there and that the other may go.
// Heads of more than 192 elements spill some registers: of 255, their outputs and queries alone take 192.
//
// Tensor cores multiply everything. A key that a query must not see has weight 0, which removes it unless its value is
// NaN; so values that may be NaN are supported only where every query sees every key.
#pragma once

#include <algorithm>

#include "harness/tensor/fill.h"
#include "kernels/device/attention.cuh"
#include "kernels/device/mma_factors.cuh"
#include "kernels/device/vector_load.cuh"

namespace assay::device {

constexpr int kForwardWarps = 4;
constexpr int kForwardThreads = kForwardWarps * static_cast<int>(kWarp);
constexpr int kForwardQueries = kForwardWarps * 16;
constexpr int64_t kForwardDimMax = 256;

// Shared memory. Queries come in and outputs go out where keys and values lie in between.
template <class T, int kDim>
struct ForwardTiles {
  // Larger tiles would leave too few registers for the outputs.
  static constexpr int kKeys = kDim <= 128 ? 64 : 32;
  using Rows = SwizzledTile<T, kForwardQueries, kDim>;
  struct Streamed {
    SwizzledTile<T, kKeys, kDim> keys, values;
  };
  union {
    Rows rows;
    Streamed streamed;
  };
};

// The state of a warp's 16 queries. kDim: elements of a head, padded to a multiple of 16. A lane has parts of the
// rows lane / 4 and lane / 4 + 8, four lanes share a row.
template <class T, int kDim>
struct ForwardRows {
  using Tiles = ForwardTiles<T, kDim>;
  static constexpr int kKeys = Tiles::kKeys;
  using KeyTile = SwizzledTile<T, kKeys, kDim>;
  using Scores = float[kKeys / 8][4];  // fragments D of 8 keys each

  uint32_t queries[kDim / 16][4];
  float out[kDim / 8][4];
  float maximum[2], total[2];  // total: of this lane's keys only

  // row: the warp's first in the tile.
  __device__ void start(typename Tiles::Rows& tile, int row) {
#pragma unroll
    for (int d = 0; d < kDim / 16; ++d) tile.read_a(row, d * 16, queries[d]);
#pragma unroll
    for (int d = 0; d < kDim / 8; ++d)
      for (float& element : out[d]) element = 0;
    for (int r = 0; r < 2; ++r) {
      maximum[r] = -INFINITY;
      total[r] = 0;
    }
  }

  __device__ void multiply_by_keys(Scores& products, KeyTile& keys) const {
#pragma unroll
    for (int d = 0; d < kDim / 16; ++d)
#pragma unroll
      for (int n = 0; n < kKeys / 16; ++n) {
        uint32_t b[4];
        keys.read_b_transposed(n * 16, d * 16, b);
        mma_m16n8k16<T>(products[2 * n], queries[d], b);
        mma_m16n8k16<T>(products[2 * n + 1], queries[d], b + 2);
      }
  }

  // Scores become weights, exp(score - maximum). A score of -inf is a pair that is removed.
  __device__ void weigh(Scores& scores) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float largest = maximum[r];
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
        for (int c = 0; c < 2; ++c) largest = Larger()(largest, scores[n][2 * r + c]);
      largest = group_reduce<4>(largest, Larger());
      const float shift = largest == -INFINITY ? 0 : largest;  // exp(-inf - -inf) would be NaN
      const float factor = expf(maximum[r] - shift);
      maximum[r] = largest;
      total[r] *= factor;
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
        for (int c = 0; c < 2; ++c) total[r] += scores[n][2 * r + c] = expf(scores[n][2 * r + c] - shift);
#pragma unroll
      for (int d = 0; d < kDim / 8; ++d)
        for (int c = 0; c < 2; ++c) out[d][2 * r + c] *= factor;
    }
  }

  __device__ void add_values(const Scores& weights, KeyTile& values) {
    uint32_t factors[kKeys / 16][4];
    to_factors<T>(weights, factors);
    add_weighted(factors, values, 0, out);
  }

  // Divides by the totals of whole rows, which it leaves in `total`; rows without a key are 0.
  __device__ void normalise() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      total[r] = group_reduce<4>(total[r], Add());
      const float inverse = total[r] == 0 ? 0 : 1 / total[r];
#pragma unroll
      for (int d = 0; d < kDim / 8; ++d)
        for (int c = 0; c < 2; ++c) out[d][2 * r + c] *= inverse;
    }
  }
};

// The place where a block works. Causal queries see the more keys the later they come, so the last tiles go first and
// the short ones fill up.
struct ForwardPlace {
  int64_t b, h, query;  // the block's first query
  int row;              // the warp's first in the tile of queries
  int lane;

  __device__ explicit ForwardPlace(const AttentionArgs& a) {
    const int64_t tiles = (a.queries + kForwardQueries - 1) / kForwardQueries;
    query = (tiles - 1 - blockIdx.x % tiles) * kForwardQueries;
    h = blockIdx.x / tiles % a.heads;
    b = blockIdx.x / tiles / a.heads;
    row = static_cast<int>(threadIdx.x / kWarp) * 16;
    lane = static_cast<int>(threadIdx.x % kWarp);
  }
  // Keys that some query of the block sees.
  __device__ int64_t keys_end(const AttentionArgs& a) const {
    const int64_t end = query + kForwardQueries;
    return a.visible((end < a.queries ? end : a.queries) - 1);
  }
  // Keys that each of the warp's 16 queries sees; 0 where there are fewer queries.
  __device__ int64_t seen_by_all(const AttentionArgs& a) const {
    return query + row + 16 <= a.queries ? a.visible(query + row) : 0;
  }
};

// Products become scores: -inf where a query does not see a key. kAllSeen: each query exists and sees all these keys.
template <bool kAllSeen, int kFragments, class Adjust>
__device__ void adjust_scores(float (&scores)[kFragments][4], const AttentionArgs& a, const ForwardPlace& at,
                              int64_t key, const Adjust& adjust) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const MatrixPlace place = place_in_d(at.lane, e);
    const int64_t i = at.query + at.row + place.row, visible = kAllSeen || i < a.queries ? a.visible(i) : 0;
#pragma unroll
    for (int n = 0; n < kFragments; ++n) {
      const int64_t j = key + n * 8 + place.col;
      scores[n][e] = kAllSeen || j < visible ? adjust(scores[n][e] * a.scale, i, j) : -INFINITY;
    }
  }
}

// The outputs go through the warp's rows of the tile, so that they are written in packs. Nobody may be reading them.
template <class T, int kDim>
__device__ void write_rows(const ForwardRows<T, kDim>& rows, SwizzledTile<T, kForwardQueries, kDim>& tile, T* o,
                           float* lse, const AttentionArgs& a, const ForwardPlace& at) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const MatrixPlace place = place_in_d(at.lane, 2 * r);
    const int64_t i = at.query + at.row + place.row;
    if (lse && place.col == 0 && i < a.queries)
      lse[(at.b * a.heads + at.h) * a.queries + i] = rows.maximum[r] + logf(rows.total[r]);
#pragma unroll
    for (int d = 0; d < kDim / 8; ++d)
      *reinterpret_cast<uint32_t*>(tile.chunk(at.row + place.row, d * 8) + place.col) =
          round_pair<T>(rows.out[d][2 * r], rows.out[d][2 * r + 1]);
  }
  __syncwarp();
  constexpr int kWidth = Pack<T>::kWidth, kPacks = kDim / kWidth;
  for (int n = at.lane; n < 16 * kPacks; n += static_cast<int>(kWarp)) {
    const int row = at.row + n / kPacks, column = n % kPacks * kWidth;
    if (at.query + row >= a.queries || column >= a.dim) continue;
    *reinterpret_cast<Pack<T>*>(o + (at.query + row) * a.q.token + column) =
        *reinterpret_cast<const Pack<T>*>(tile.chunk(row, column));
  }
}

// adjust.to_head(b, h) comes first; then adjust(score, i, j) is the score of a pair that causality leaves, -inf where
// the pair is removed.
template <class T, int kDim, class Adjust>
__global__ void __launch_bounds__(kForwardThreads, 1)
    tensor_core_forward(const T* q, const T* k, const T* v,  // (B, tokens, heads, D), or heads before tokens
                        T* o,                                // as q
                        float* lse,                          // (B, H, Sq), or null
                        AttentionArgs a, Adjust adjust) {
  using Tiles = ForwardTiles<T, kDim>;
  constexpr int kKeys = Tiles::kKeys;
  static_assert(sizeof(Tiles) <= 48 << 10, "what a kernel gets without asking for more");
  __shared__ Tiles tiles;
  auto& [keys, values] = tiles.streamed;

  const ForwardPlace at(a);
  q += a.q.at(at.b, 0, at.h);
  o += a.q.at(at.b, 0, at.h);
  k += a.kv.at(at.b, 0, a.kv_head(at.h));
  v += a.kv.at(at.b, 0, a.kv_head(at.h));
  adjust.to_head(at.b, at.h);
  const int64_t keys_end = at.keys_end(a), seen_by_all = at.seen_by_all(a);

  tiles.rows.begin_load(q, a.q.token, at.query, a.queries, a.dim, kForwardThreads);
  cp_async_wait_all();
  __syncthreads();
  ForwardRows<T, kDim> rows;
  rows.start(tiles.rows, at.row);
  __syncthreads();

  if (keys_end > 0) keys.begin_load(k, a.kv.token, 0, a.keys, a.dim, kForwardThreads);
  for (int64_t key = 0; key < keys_end; key += kKeys) {
    cp_async_wait_all();
    __syncthreads();  // the keys are there, and the last values have been read
    values.begin_load(v, a.kv.token, key, a.keys, a.dim, kForwardThreads);
    float scores[kKeys / 8][4] = {};
    rows.multiply_by_keys(scores, keys);
    if (key + kKeys <= seen_by_all)
      adjust_scores<true>(scores, a, at, key, adjust);
    else
      adjust_scores<false>(scores, a, at, key, adjust);
    rows.weigh(scores);
    cp_async_wait_all();
    __syncthreads();  // the values are there, and the keys have been read
    if (key + kKeys < keys_end) keys.begin_load(k, a.kv.token, key + kKeys, a.keys, a.dim, kForwardThreads);
    rows.add_values(scores, values);
  }
  rows.normalise();
  __syncthreads();  // the last values have been read
  write_rows(rows, tiles.rows, o, lse, a, at);
}

inline int64_t tensor_core_forward_blocks(int64_t batch, int64_t heads, int64_t queries) {
  return batch * heads * ((queries + kForwardQueries - 1) / kForwardQueries);
}

// masked: whether the op's mask removes pairs.
inline std::optional<std::string> tensor_core_forward_unsupported(const Case& c, bool masked) {
  if (c.dim("D") % 8 != 0) return "D is no multiple of 8: rows that do not begin at multiples of 16 bytes";
  if (c.dim("D") > kForwardDimMax) return "D > 256: more outputs than fit in registers";
  if (find_fill(c.fill)->has_nan && (masked || c.text("causal") == "1"))
    return "NaN in the values of keys that are not seen: tensor cores multiply them by a weight of 0";
  if (tensor_core_forward_blocks(c.dim("B"), c.dim("H"), c.dim("Sq")) > INT32_MAX)
    return "a block per 64 queries, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

inline void round_head_up(Case& c) { c.set("D", std::to_string(std::min((c.dim("D") + 7) / 8 * 8, kForwardDimMax))); }

// Calls f.operator()<T>() for a call's dtype, which is f16 or bf16.
template <class F>
void by_tensor_core_dtype(const Call& call, F f) {
  by_dtype(call, [&]<class T>() {
    if constexpr (sizeof(T) == 2) f.template operator()<T>();
  });
}

// lse: null where it is not wanted.
template <class T, class Adjust>
void launch_tensor_core_forward(const AttentionArgs& a, const T* q, const T* k, const T* v, T* o, float* lse,
                                const Adjust& adjust) {
  const auto launch_padded = [&]<int kDim>() {
    launch(tensor_core_forward<T, kDim, Adjust>,
           {.grid = dim3(static_cast<unsigned>(tensor_core_forward_blocks(a.batch, a.heads, a.queries))),
            .block = dim3(kForwardThreads)},
           q, k, v, o, lse, a, adjust);
  };
  if (a.dim <= 32) return launch_padded.template operator()<32>();
  if (a.dim <= 64) return launch_padded.template operator()<64>();
  if (a.dim <= 80) return launch_padded.template operator()<80>();
  if (a.dim <= 96) return launch_padded.template operator()<96>();
  if (a.dim <= 128) return launch_padded.template operator()<128>();
  if (a.dim <= 192) return launch_padded.template operator()<192>();
  return launch_padded.template operator()<256>();
}

// Launches for a call's q, k, v, o and lse.
template <class T, class Adjust>
void launch_tensor_core_forward(const Call& call, const Adjust& adjust) {
  launch_tensor_core_forward<T>(attention_args(call), call.in<T>("q"), call.in<T>("k"), call.in<T>("v"),
                                call.out<T>("o"), call.out<float>("lse"), adjust);
}

}  // namespace assay::device
