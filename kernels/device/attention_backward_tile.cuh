// A tile of 32 queries × 32 keys of the attention backward, in f32: P and dS of its pairs, and what they add to the
// gradients. Shared by the variants that only differ in who owns which tile.
//
// 128 threads. D passes through shared memory in chunks of 64 lanes, so that a tile takes 44 KB whatever D is; with D
// up to 64 the one chunk stays there. Each thread computes 2 × 4 pairs, and 4 × 4 elements of a gradient: six and two
// 16-byte reads of shared memory for 32 and 16 multiplications.
//
// A pair that is not visible adds nothing at all: multiplying its weight of 0 by NaN data would. One bit per pair says
// which pairs are visible, a word for each query.
#pragma once

#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

constexpr int kTileSide = 32;  // a bit of a word for every key
constexpr int kTileThreads = 128;
constexpr int kChunk = 64;

// 32 rows of a chunk. Four floats more than a row needs: the 16-byte reads of eight threads then hit different banks.
struct TileRows {
  alignas(16) float values[kTileSide][kChunk + 4];
};

// A number for each pair, a row for each query; widened for the same reason.
struct TilePairs {
  alignas(16) float values[kTileSide][kTileSide + 4];
};

// Lies in shared memory.
struct BackwardTile {
  TileRows q, k, v, dout;
  TilePairs p, ds;           // 0 where the pair is not visible
  unsigned seen[kTileSide];  // bit j of word i: query i sees key j
};

// Which tile: its batch, query head, first query and first key.
struct TilePlace {
  int64_t b, h, i0, j0;
};

// The tokens that are in shared memory already and stay there, if one chunk holds all of D.
enum class Resident { nothing, keys, queries };

// Lanes of the chunk that begins at first_lane, rounded up to whole packs of four: the others are never read.
__device__ inline int chunk_lanes(int64_t dim, int64_t first_lane) {
  const int64_t lanes = dim - first_lane;
  return lanes >= kChunk ? kChunk : lanes <= 0 ? 0 : static_cast<int>((lanes + 3) / 4 * 4);
}

__device__ inline Pack<float> read_pack(const float* shared) { return *reinterpret_cast<const Pack<float>*>(shared); }

// A chunk of 32 tokens of one head; zeros for tokens and lanes that do not exist. x: the head's first token.
template <class T>
__device__ void load_rows(TileRows& rows, const T* x, int64_t token_stride, int64_t first, int64_t tokens,
                          int64_t first_lane, int64_t dim) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int packs = (chunk_lanes(dim, first_lane) + kWidth - 1) / kWidth;
  for (int n = static_cast<int>(threadIdx.x); n < kTileSide * packs; n += kTileThreads) {
    const int row = n / packs, lane = n % packs * kWidth;
    const T* token = x + (first + row) * token_stride;
    const int64_t end = first + row < tokens ? dim : 0;
    const Pack<T> pack = load_pack(token, first_lane + lane, end, is_pack_aligned(token), 0);
    for (int i = 0; i < kWidth; ++i) rows.values[row][lane + i] = static_cast<float>(pack.values[i]);
  }
}

template <class T, class Bias>
__device__ void load_queries(const BackwardInputs<T, Bias>& in, BackwardTile& tile, const TilePlace& at,
                             int64_t first_lane) {
  const int64_t head = in.a.q.at(at.b, 0, at.h);
  load_rows(tile.q, in.q + head, in.a.q.token, at.i0, in.a.queries, first_lane, in.a.dim);
  load_rows(tile.dout, in.dout + head, in.a.q.token, at.i0, in.a.queries, first_lane, in.a.dim);
}

template <class T, class Bias>
__device__ void load_keys(const BackwardInputs<T, Bias>& in, BackwardTile& tile, const TilePlace& at,
                          int64_t first_lane) {
  const int64_t head = in.a.kv.at(at.b, 0, in.a.kv_head(at.h));
  load_rows(tile.k, in.k + head, in.a.kv.token, at.j0, in.a.keys, first_lane, in.a.dim);
  load_rows(tile.v, in.v + head, in.a.kv.token, at.j0, in.a.keys, first_lane, in.a.dim);
}

// A thread's pairs: queries 2·(thread / 8) + m and keys thread % 8 + 8n.
constexpr int kPairQueries = 2, kPairKeys = 4;
__device__ inline int pair_query(int m) { return static_cast<int>(threadIdx.x) / 8 * kPairQueries + m; }
__device__ inline int pair_key(int n) { return static_cast<int>(threadIdx.x) % 8 + 8 * n; }

// sums[m][n] += x_m·y_n over a chunk's lanes. x: rows of queries  y: rows of keys
__device__ inline void add_dots(const TileRows& x, const TileRows& y, int lanes,
                                float (&sums)[kPairQueries][kPairKeys]) {
  for (int d = 0; d < lanes; d += 4) {
    Pack<float> xs[kPairQueries];
    for (int m = 0; m < kPairQueries; ++m) xs[m] = read_pack(&x.values[pair_query(m)][d]);
    for (int n = 0; n < kPairKeys; ++n) {
      const Pack<float> ys = read_pack(&y.values[pair_key(n)][d]);
      for (int m = 0; m < kPairQueries; ++m)
        for (int l = 0; l < 4; ++l) sums[m][n] += xs[m].values[l] * ys.values[l];
    }
  }
}

// Which pairs of the tile are visible: a warp per query, a lane per key.
template <class T, class Bias>
__device__ void mark_seen(const BackwardInputs<T, Bias>& in, BackwardTile& tile, const TilePlace& at) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  for (int i = static_cast<int>(threadIdx.x / kWarp); i < kTileSide; i += kTileThreads / kWarp) {
    const int64_t query = at.i0 + i, key = at.j0 + lane;
    const unsigned word = __ballot_sync(kAllLanes, query < in.a.queries && in.sees(at.b, at.h, query, key));
    if (lane == 0) tile.seen[i] = word;
  }
}

// P_ij = exp(S_ij - LSE_i) and dS_ij = P_ij (dP_ij - delta_i) of a tile, all of D. All threads call it, and when it
// returns all of them may read tile.p, ds and seen, and if D fits in a chunk its rows.
template <class T, class Bias>
__device__ void weigh_pairs(const BackwardInputs<T, Bias>& in, BackwardTile& tile, const TilePlace& at,
                            Resident resident) {
  const bool one_chunk = in.a.dim <= kChunk;
  float s[kPairQueries][kPairKeys] = {}, dp[kPairQueries][kPairKeys] = {};
  __syncthreads();  // nobody reads the tile before any more
  mark_seen(in, tile, at);
  for (int64_t lane = 0; lane < in.a.dim; lane += kChunk) {
    if (lane > 0) __syncthreads();
    if (!one_chunk || resident != Resident::queries) load_queries(in, tile, at, lane);
    if (!one_chunk || resident != Resident::keys) load_keys(in, tile, at, lane);
    __syncthreads();
    add_dots(tile.q, tile.k, chunk_lanes(in.a.dim, lane), s);
    add_dots(tile.dout, tile.v, chunk_lanes(in.a.dim, lane), dp);
  }
  for (int m = 0; m < kPairQueries; ++m) {
    const int i = pair_query(m);
    const int64_t query = at.i0 + i;
    const bool exists = query < in.a.queries;
    const float lse = exists ? in.lse_of(at.b, at.h, query) : 0, delta = exists ? in.delta_of(at.b, at.h, query) : 0;
    for (int n = 0; n < kPairKeys; ++n) {
      const int j = pair_key(n);
      float p = 0, ds = 0;
      if (tile.seen[i] >> j & 1) {
        p = expf(s[m][n] * in.a.scale + in.bias.added(at.b, at.h, query, at.j0 + j) - lse);
        ds = p * (dp[m][n] - delta);
      }
      tile.p.values[i][j] = p;
      tile.ds.values[i][j] = ds;
    }
  }
  __syncthreads();
}

// A thread's part of a chunk of gradients: rows 4·(thread / 16) + m and lanes 4·(thread % 16) + l.
constexpr int kPatch = 4;
using Patch = float[kPatch][kPatch];
__device__ inline int patch_row() { return static_cast<int>(threadIdx.x) / 16 * kPatch; }
__device__ inline int patch_lane() { return static_cast<int>(threadIdx.x) % 16 * kPatch; }

// sum_j += sum_i weight_ij x_i over the queries that see key j. x: rows of queries
__device__ inline void add_to_keys(const BackwardTile& tile, const TilePairs& weights, const TileRows& x, int lanes,
                                   Patch& sum) {
  if (patch_lane() >= lanes) return;
  for (int i = 0; i < kTileSide; ++i) {
    const unsigned seen = tile.seen[i] >> patch_row();
    if (seen == 0) continue;
    const Pack<float> weight = read_pack(&weights.values[i][patch_row()]), row = read_pack(&x.values[i][patch_lane()]);
    for (int m = 0; m < kPatch; ++m)
      if (seen >> m & 1)
        for (int l = 0; l < kPatch; ++l) sum[m][l] += weight.values[m] * row.values[l];
  }
}

// sum_i += sum_j dS_ij k_j over the keys that query i sees.
__device__ inline void add_to_queries(const BackwardTile& tile, int lanes, Patch& sum) {
  if (patch_lane() >= lanes) return;
  unsigned seen[kPatch], any = 0;
  for (int m = 0; m < kPatch; ++m) any |= seen[m] = tile.seen[patch_row() + m];
  for (int j = 0; j < kTileSide; ++j) {
    if ((any >> j & 1) == 0) continue;
    const Pack<float> row = read_pack(&tile.k.values[j][patch_lane()]);
    for (int m = 0; m < kPatch; ++m)
      if (seen[m] >> j & 1)
        for (int l = 0; l < kPatch; ++l) sum[m][l] += tile.ds.values[patch_row() + m][j] * row.values[l];
  }
}

// Calls f(token, lane, value) for a thread's elements that exist. first: the tile's first token of `tokens`.
template <class F>
__device__ void for_each_element(const Patch& patch, int64_t first, int64_t tokens, int64_t first_lane, int64_t dim,
                                 F f) {
  for (int m = 0; m < kPatch; ++m)
    for (int l = 0; l < kPatch; ++l) {
      const int64_t token = first + patch_row() + m, lane = first_lane + patch_lane() + l;
      if (token < tokens && lane < dim) f(token, lane, patch[m][l]);
    }
}

}  // namespace assay::device
