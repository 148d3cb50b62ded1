// Tiles of 32 queries and 32 keys in shared memory; every gradient has one block that owns it.
//
// Against stored_pairs: a key and value are read once for 32 queries, and no pair is stored but those of ds. Three
// passes, each of which computes dP again: the means of w dP, then dS and dq by blocks that own queries, then dk and dv
// by blocks that own keys and go through the heads of their group, so that nothing needs atomics. A block owns up to
// 128 lanes of a head, whose sums fit in registers; larger heads are cut into slices.
#include "kernels/device/attention_backward_passes.cuh"
#include "kernels/device/head_major.cuh"

namespace {

using namespace assay::device;

template <class T>
struct Saved {
  const T *q, *k, *v, *w, *dout;  // (heads, T, stride), (kv_heads, T, stride) twice, (heads, width, width), as q
  float* means;                   // (heads, T): sum_j w_ij dP_ij
  int64_t width;
  AttentionArgs a;

  __device__ void load_values(BackwardTile& tile, const TilePlace& at, int64_t lane) const {
    load_rows(tile.v, v + a.kv.at(0, 0, a.kv_head(at.h)), a.kv.token, at.j0, a.keys, lane, a.dim);
    load_rows(tile.dout, dout + a.q.at(0, 0, at.h), a.q.token, at.i0, a.queries, lane, a.dim);
  }
  __device__ void load_keys(BackwardTile& tile, const TilePlace& at, int64_t lane) const {
    load_rows(tile.k, k + a.kv.at(0, 0, a.kv_head(at.h)), a.kv.token, at.j0, a.keys, lane, a.dim);
  }
  __device__ void load_queries(BackwardTile& tile, const TilePlace& at, int64_t lane) const {
    load_rows(tile.q, q + a.q.at(0, 0, at.h), a.q.token, at.i0, a.queries, lane, a.dim);
    if (a.dim > kChunk) load_rows(tile.dout, dout + a.q.at(0, 0, at.h), a.q.token, at.i0, a.queries, lane, a.dim);
  }
  __device__ bool sees(const TilePlace& at, int i, int j) const {
    return at.i0 + i < a.queries && at.j0 + j < a.visible(at.i0 + i);
  }

  // w and dP of the thread's pairs, 0 where there is none. All threads call it.
  __device__ void pairs(BackwardTile& tile, const TilePlace& at, float (&p)[kPairQueries][kPairKeys],
                        float (&dp)[kPairQueries][kPairKeys]) const {
    for (int64_t lane = 0; lane < a.dim; lane += kChunk) {
      __syncthreads();  // nobody reads what was there any more
      load_values(tile, at, lane);
      __syncthreads();
      add_dots(tile.dout, tile.v, chunk_lanes(a.dim, lane), dp);
    }
    for (int m = 0; m < kPairQueries; ++m)
      for (int n = 0; n < kPairKeys; ++n) {
        const int i = pair_query(m), j = pair_key(n);
        const bool seen = sees(at, i, j);
        p[m][n] = seen ? static_cast<float>(w[score_row(at.h, at.i0 + i, width) + at.j0 + j]) : 0;
        if (!seen) dp[m][n] = 0;
      }
  }

  // Leaves w and dS of a tile in shared memory for all threads.
  __device__ void weigh(BackwardTile& tile, const TilePlace& at) const {
    float p[kPairQueries][kPairKeys] = {}, dp[kPairQueries][kPairKeys] = {};
    pairs(tile, at, p, dp);
    for (int m = 0; m < kPairQueries; ++m) {
      const int64_t i = at.i0 + pair_query(m);
      const float mean = i < a.queries ? means[at.h * a.queries + i] : 0;
      for (int n = 0; n < kPairKeys; ++n) {
        const bool seen = sees(at, pair_query(m), pair_key(n));
        tile.p.values[pair_query(m)][pair_key(n)] = p[m][n];
        tile.ds.values[pair_query(m)][pair_key(n)] = seen ? p[m][n] * (dp[m][n] - mean) : 0;
      }
    }
    if (threadIdx.x < kTileSide) {
      const int64_t i = at.i0 + threadIdx.x, seen = i < a.queries ? a.visible(i) - at.j0 : 0;
      tile.seen[threadIdx.x] = seen <= 0 ? 0 : seen >= kTileSide ? ~0u : (1u << seen) - 1;
    }
    __syncthreads();
  }
};

// The mean of dP under w for 32 queries of a head.
template <class T>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin) find_means(Saved<T> in) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const int64_t h = blockIdx.x / tiles(a.queries), i0 = blockIdx.x % tiles(a.queries) * kTileSide;
  float sums[kPairQueries] = {};
  for (int64_t j0 = 0; j0 <= i0; j0 += kTileSide) {
    float p[kPairQueries][kPairKeys] = {}, dp[kPairQueries][kPairKeys] = {};
    in.pairs(tile, {.b = 0, .h = h, .i0 = i0, .j0 = j0}, p, dp);
    for (int m = 0; m < kPairQueries; ++m)
      for (int n = 0; n < kPairKeys; ++n) sums[m] += p[m][n] * dp[m][n];
  }
  for (int m = 0; m < kPairQueries; ++m) {
    const float sum = group_reduce<8>(sums[m], Add());  // the eight threads that share a query
    const int64_t i = i0 + pair_query(m);
    if (threadIdx.x % 8 == 0 && i < a.queries) in.means[h * a.queries + i] = sum;
  }
}

// dS, as w, and dq, as q. Tiles behind the queries are written as 0.
template <int kChunks, class T>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin) query_gradients(Saved<T> in, T* ds, T* dq) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block<kChunks>(a.queries, a.heads, a.dim);
  Patch dq_sum[kChunks] = {};
  for (int64_t j0 = 0; j0 < a.keys; j0 += kTileSide) {
    const bool seen = j0 < own.token + kTileSide;
    if (!seen && own.lane > 0) break;
    const TilePlace at = {.b = 0, .h = own.head, .i0 = own.token, .j0 = j0};
    if (seen) in.weigh(tile, at);
    for (int n = static_cast<int>(threadIdx.x); own.lane == 0 && n < kTileSide * kTileSide; n += kTileThreads) {
      const int i = n / kTileSide, j = n % kTileSide;
      if (own.token + i < a.queries && j0 + j < a.keys)
        ds[score_row(own.head, own.token + i, in.width) + j0 + j] = static_cast<T>(seen ? tile.ds.values[i][j] : 0.0f);
    }
    if (!seen) continue;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int64_t lane = own.lane + c * kChunk;
      if (c > 0) __syncthreads();
      in.load_keys(tile, at, lane);
      __syncthreads();
      add_to_queries(tile, chunk_lanes(a.dim, lane), dq_sum[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    for_each_element(
        dq_sum[c], own.token, a.queries, own.lane + c * kChunk, a.dim,
        [&](int64_t i, int64_t d, float sum) { dq[a.q.at(0, i, own.head) + d] = static_cast<T>(a.scale * sum); });
}

// dk and dv, as k and v.
template <int kChunks, class T>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin) key_gradients(Saved<T> in, T* dk, T* dv) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block<kChunks>(a.keys, a.kv_heads, a.dim);
  const int64_t group = a.heads / a.kv_heads;
  Patch dk_sum[kChunks] = {}, dv_sum[kChunks] = {};
  for (int64_t h = own.head * group; h < (own.head + 1) * group; ++h)
    for (int64_t i0 = own.token; i0 < a.queries; i0 += kTileSide) {
      const TilePlace at = {.b = 0, .h = h, .i0 = i0, .j0 = own.token};
      in.weigh(tile, at);
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const int64_t lane = own.lane + c * kChunk;
        if (c > 0) __syncthreads();
        in.load_queries(tile, at, lane);
        __syncthreads();
        add_to_keys(tile, tile.ds, tile.q, chunk_lanes(a.dim, lane), dk_sum[c]);
        add_to_keys(tile, tile.p, tile.dout, chunk_lanes(a.dim, lane), dv_sum[c]);
      }
    }
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    const int64_t lane = own.lane + c * kChunk;
    for_each_element(dk_sum[c], own.token, a.keys, lane, a.dim, [&](int64_t j, int64_t d, float sum) {
      dk[a.kv.at(0, j, own.head) + d] = static_cast<T>(a.scale * sum);
    });
    for_each_element(dv_sum[c], own.token, a.keys, lane, a.dim,
                     [&](int64_t j, int64_t d, float sum) { dv[a.kv.at(0, j, own.head) + d] = static_cast<T>(sum); });
  }
}

template <int kChunks, class T>
void launch_passes(const assay::Call& call, const Saved<T>& in) {
  const AttentionArgs& a = in.a;
  const auto shape = [](int64_t blocks) {
    return assay::Launch{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kTileThreads)};
  };
  const int64_t stride = call.dim("ad");
  T *dq = call.out<T>("dq"), *dk = call.out<T>("dk"), *dv = call.out<T>("dv");
  assay::launch(find_means<T>, shape(a.heads * tiles(a.queries)), in);
  assay::launch(query_gradients<kChunks, T>, shape(pass_blocks(1, a.queries, a.heads, a.dim)), in, call.out<T>("ds"),
                dq);
  assay::launch(key_gradients<kChunks, T>, shape(pass_blocks(1, a.keys, a.kv_heads, a.dim)), in, dk, dv);
  launch_clear_padding(dq, a.heads * a.queries, a.dim, stride);
  launch_clear_padding(dk, a.kv_heads * a.keys, a.dim, stride);
  launch_clear_padding(dv, a.kv_heads * a.keys, a.dim, stride);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (pass_blocks(1, c.dim("T"), c.dim("H"), c.dim("ad") - c.dim("pad")) > INT32_MAX)
    return "a block per 32 tokens and 128 lanes of a head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

int64_t mean_bytes(const assay::Case& c) { return c.dim("H") * c.dim("T") * int64_t{sizeof(float)}; }

void run(assay::Call& call) {
  const AttentionArgs a = head_major_args(call.c());
  assay::by_dtype(call, [&]<class T>() {
    const Saved<T> in = {call.in<T>("q"),  call.in<T>("k"),         call.in<T>("v"), call.in<T>("w"),
                         call.in<T>("do"), call.workspace<float>(), call.dim("aw"),  a};
    if (chunks_of_slice(a.dim) == 1)
      launch_passes<1>(call, in);
    else
      launch_passes<2>(call, in);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = "owned_tiles",
                                       .summary = "tiles of 32 x 32 pairs; blocks own queries, then keys",
                                       .unsupported = unsupported,
                                       .element_at = head_major_element_at,
                                       .workspace_bytes = mean_bytes,
                                       .run = run});

}  // namespace
