// The work of a warp in a tensor-core attention backward: S and dP of 16 tokens with a tile of tokens of the other
// kind, P and dS from them, and what those add to a gradient.
//
// Its S and dP come out of the tensor core with the elements in the lanes where the next product wants its left factor.
// So P and dS, rounded to the dtype, go on from registers and never see shared memory, which holds q, k, v and dO
// alone.
//
// A pair that is not visible adds 0 times its elements, so these have to be finite.
#pragma once

#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/mma_factors.cuh"

namespace assay::device {

constexpr int kWarpTokens = 16;  // rows of an mma

// Rows of q and dO, or of k and v.
template <class T, int kRows, int kDim>
struct TokenTile {
  SwizzledTile<T, kRows, kDim> qk, do_v;

  // Tokens from `first` of a head, whose first one is at element `head` of both tensors.
  __device__ void begin_load(const T* q_or_k, const T* do_or_v, int64_t head, int64_t token_stride, int64_t first,
                             int64_t tokens, int64_t dim, int threads) {
    qk.begin_load(q_or_k + head, token_stride, first, tokens, dim, threads);
    do_v.begin_load(do_or_v + head, token_stride, first, tokens, dim, threads);
  }
};

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % kWarp); }
__device__ inline int warp_id() { return static_cast<int>(threadIdx.x / kWarp); }

// Calls begin(n), compute(n) for n = 0 … count - 1: begin starts the copies of tile n to its stage, n % kStages, and
// compute reads them there.
template <int kStages, class Begin, class Compute>
__device__ void stream(int64_t count, Begin begin, Compute compute) {
  if (count > 0) begin(0);
  for (int64_t n = 0; n < count; ++n) {
    cp_async_wait_all();
    __syncthreads();  // tile n is there for all, and nobody reads tile n - 1 any more
    if (kStages == 2 && n + 1 < count) begin(n + 1);
    compute(n);
    if (kStages == 1) {
      __syncthreads();
      if (n + 1 < count) begin(n + 1);
    }
  }
}

// sums += x yᵀ, of rows `row` … `row` + 15 of x and all rows of y.
template <class T, int kOwned, int kStreamed, int kDim>
__device__ void add_dots(SwizzledTile<T, kOwned, kDim>& x, int row, SwizzledTile<T, kStreamed, kDim>& y,
                         float (&sums)[kStreamed / 8][4]) {
#pragma unroll
  for (int d = 0; d < kDim; d += 16) {
    uint32_t a[4], b[4];
    x.read_a(row, d, a);
#pragma unroll
    for (int n = 0; n < kStreamed; n += 16) {
      y.read_b_transposed(n, d, b);
      mma_m16n8k16<T>(sums[n / 8], a, b);
      mma_m16n8k16<T>(sums[n / 8 + 1], a, b + 2);
    }
  }
}

// The forward's saved results for a query.
struct Saved {
  float lse, delta;
};

template <class T>
__device__ Saved saved_of(const BackwardInputs<T, NoBias>& in, int64_t b, int64_t h, int64_t query) {
  if (query >= in.a.queries) return {0, 0};
  return {in.lse_of(b, h, query), in.delta_of(b, h, query)};
}

enum class Visible { none, some, all };

// How many of the pairs of query_count queries from `query` on and key_count keys from `key` on are visible.
__device__ inline Visible visible_pairs(const AttentionArgs& a, int64_t query, int query_count, int64_t key,
                                        int key_count) {
  const int64_t end = query + query_count < a.queries ? query + query_count : a.queries;
  if (end <= query || a.visible(end - 1) <= key) return Visible::none;
  return query + query_count <= a.queries && a.visible(query) >= key + key_count ? Visible::all : Visible::some;
}

// The side whose tokens are the rows of a warp's pairs; the others are the columns.
enum class Owner { keys, queries };

// The forward's saved results for a lane's queries: two for each fragment if they are columns, else two in all.
template <Owner kOwner, int kFragments>
using LaneSaved = Saved[kOwner == Owner::keys ? kFragments : 1][2];

template <Owner kOwner, int kFragments, class T>
__device__ void load_saved(const BackwardInputs<T, NoBias>& in, int64_t b, int64_t h, int64_t first_query,
                           LaneSaved<kOwner, kFragments>& saved) {
#pragma unroll
  for (int n = 0; n < (kOwner == Owner::keys ? kFragments : 1); ++n)
#pragma unroll
    for (int i = 0; i < 2; ++i)
      saved[n][i] = saved_of(in, b, h,
                             first_query + (kOwner == Owner::keys ? 8 * n + place_in_d(lane_id(), i).col
                                                                  : place_in_d(lane_id(), 2 * i).row));
}

// Turns S and dP of a warp's pairs into P and dS: its queries from `query` on with its keys from `key` on. A query that
// sees no key has an LSE of -inf, and none of its pairs is visible.
template <Owner kOwner, int kFragments>
__device__ void weigh(const AttentionArgs& a, Visible which, int64_t query, int64_t key,
                      const LaneSaved<kOwner, kFragments>& lane_saved, float (&s)[kFragments][4],
                      float (&dp)[kFragments][4]) {
#pragma unroll
  for (int n = 0; n < kFragments; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = place_in_d(lane_id(), i).row, col = 8 * n + place_in_d(lane_id(), i).col;
      const int64_t q = query + (kOwner == Owner::keys ? col : row), k = key + (kOwner == Owner::keys ? row : col);
      const Saved& saved = kOwner == Owner::keys ? lane_saved[n][i % 2] : lane_saved[0][i / 2];
      const bool visible = which == Visible::all || (q < a.queries && k < a.visible(q));
      s[n][i] = visible ? expf(s[n][i] * a.scale - saved.lse) : 0;
      dp[n][i] = visible ? s[n][i] * (dp[n][i] - saved.delta) : 0;
    }
}

}  // namespace assay::device
