// The two passes of a tiled attention backward: blocks that own keys find dK and dV, blocks that own queries find dQ.
// The first can also add to dQ on its way, by float atomics.
//
// A block owns 32 tokens and a slice of their lanes: up to 128 of them, two chunks, whose sums fit in registers. Where
// D is larger every slice computes P and dS again. Tiles in which causality leaves no pair are skipped.
#pragma once

#include <type_traits>

#include "kernels/device/attention_backward_tile.cuh"

namespace assay::device {

// Blocks per multiprocessor that the compiler leaves registers for: left to itself it fills the shared memory with
// blocks and spills the sums.
constexpr int kBlocksMin = 2;

__host__ __device__ inline int64_t tiles(int64_t tokens) { return (tokens + kTileSide - 1) / kTileSide; }
__host__ __device__ inline int64_t slices(int64_t dim, int chunks) {
  return (dim + chunks * kChunk - 1) / (chunks * kChunk);
}
inline int chunks_of_slice(int64_t dim) { return dim <= kChunk ? 1 : 2; }

// Blocks of a pass over `tokens` tokens of `heads` heads.
inline int64_t pass_blocks(int64_t batch, int64_t tokens, int64_t heads, int64_t dim) {
  return batch * heads * tiles(tokens) * slices(dim, chunks_of_slice(dim));
}

// The share of a block of a pass: tokens from `token` and lanes from `lane` of one head.
struct Owned {
  int64_t b, head, token, lane;
};

template <int kChunks>
__device__ Owned owned_by_block(int64_t tokens, int64_t heads, int64_t dim) {
  const int64_t slice_count = slices(dim, kChunks);
  const int64_t tile_count = tiles(tokens);
  const int64_t tile = blockIdx.x / slice_count;
  return {.b = tile / tile_count / heads,
          .head = tile / tile_count % heads,
          .token = tile % tile_count * kTileSide,
          .lane = blockIdx.x % slice_count * kChunks * kChunk};
}

// dK and dV, as k, of type G; added to what is there if in.adds. kAddsToQueries: adds to dq too, as q, f32, zero
// before.
template <int kChunks, bool kAddsToQueries, class T, class G, class Bias>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin)
    key_gradients(BackwardInputs<T, Bias> in, G* dk, G* dv, float* dq) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block<kChunks>(a.keys, a.kv_heads, a.dim);
  const int64_t group = a.heads / a.kv_heads;
  Patch dk_sum[kChunks] = {}, dv_sum[kChunks] = {};
  Resident resident = Resident::nothing;
  for (int64_t h = own.head * group; h < (own.head + 1) * group; ++h)
    for (int64_t i0 = a.first_query(own.token) / kTileSide * kTileSide; i0 < a.queries; i0 += kTileSide) {
      const TilePlace at = {.b = own.b, .h = h, .i0 = i0, .j0 = own.token};
      weigh_pairs(in, tile, at, resident);
      resident = Resident::keys;
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const int64_t first_lane = own.lane + c * kChunk;
        const int lanes = chunk_lanes(a.dim, first_lane);
        if (a.dim > kChunk) {
          __syncthreads();
          load_queries(in, tile, at, first_lane);
          if (kAddsToQueries) load_keys(in, tile, at, first_lane);
          __syncthreads();
        }
        add_to_keys(tile, tile.ds, tile.q, lanes, dk_sum[c]);
        add_to_keys(tile, tile.p, tile.dout, lanes, dv_sum[c]);
        if (kAddsToQueries) {
          Patch dq_sum = {};
          add_to_queries(tile, lanes, dq_sum);
          for_each_element(dq_sum, i0, a.queries, first_lane, a.dim, [&](int64_t i, int64_t d, float sum) {
            if (tile.seen[i - i0] != 0) atomicAdd(&dq[a.q.at(own.b, i, h) + d], a.scale * sum);
          });
        }
      }
    }
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    const int64_t first_lane = own.lane + c * kChunk;
    for_each_element(dk_sum[c], own.token, a.keys, first_lane, a.dim, [&](int64_t j, int64_t d, float sum) {
      write_gradient(&dk[a.kv.at(own.b, j, own.head) + d], a.scale * sum, in.adds);
    });
    for_each_element(dv_sum[c], own.token, a.keys, first_lane, a.dim, [&](int64_t j, int64_t d, float sum) {
      write_gradient(&dv[a.kv.at(own.b, j, own.head) + d], sum, in.adds);
    });
  }
}

// dQ, as q.
template <int kChunks, class T, class Bias>
__global__ void __launch_bounds__(kTileThreads, kBlocksMin) query_gradients(BackwardInputs<T, Bias> in, T* dq) {
  __shared__ BackwardTile tile;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block<kChunks>(a.queries, a.heads, a.dim);
  const int64_t last_query = own.token + kTileSide < a.queries ? own.token + kTileSide - 1 : a.queries - 1;
  Patch dq_sum[kChunks] = {};
  Resident resident = Resident::nothing;
  for (int64_t j0 = 0; j0 < a.visible(last_query); j0 += kTileSide) {
    const TilePlace at = {.b = own.b, .h = own.head, .i0 = own.token, .j0 = j0};
    weigh_pairs(in, tile, at, resident);
    resident = Resident::queries;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int64_t first_lane = own.lane + c * kChunk;
      if (a.dim > kChunk) {
        __syncthreads();
        load_keys(in, tile, at, first_lane);
        __syncthreads();
      }
      add_to_queries(tile, chunk_lanes(a.dim, first_lane), dq_sum[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    for_each_element(
        dq_sum[c], own.token, a.queries, own.lane + c * kChunk, a.dim,
        [&](int64_t i, int64_t d, float sum) { dq[a.q.at(own.b, i, own.head) + d] = static_cast<T>(a.scale * sum); });
}

// Launches key_gradients with dK and dV in the case's dtype.
template <bool kAddsToQueries, class T, class Bias>
void launch_key_gradients(const Call& call, const BackwardInputs<T, Bias>& in, float* dq) {
  const Launch shape = {
      .grid = dim3(static_cast<unsigned>(pass_blocks(in.a.batch, in.a.keys, in.a.kv_heads, in.a.dim))),
      .block = dim3(kTileThreads)};
  const auto launch_as = [&]<class G>() {
    G *dk = call.out<G>("dk"), *dv = call.out<G>("dv");
    if (chunks_of_slice(in.a.dim) == 1)
      launch(key_gradients<1, kAddsToQueries, T, G, Bias>, shape, in, dk, dv, dq);
    else
      launch(key_gradients<2, kAddsToQueries, T, G, Bias>, shape, in, dk, dv, dq);
  };
  if (call.text("grads") == "f32")
    launch_as.template operator()<float>();
  else
    launch_as.template operator()<T>();
}

template <class T, class Bias>
void launch_query_gradients(const Call& call, const BackwardInputs<T, Bias>& in) {
  const Launch shape = {
      .grid = dim3(static_cast<unsigned>(pass_blocks(in.a.batch, in.a.queries, in.a.heads, in.a.dim))),
      .block = dim3(kTileThreads)};
  if (chunks_of_slice(in.a.dim) == 1)
    launch(query_gradients<1, T, Bias>, shape, in, call.out<T>("dq"));
  else
    launch(query_gradients<2, T, Bias>, shape, in, call.out<T>("dq"));
}

// Why a tiled backward cannot run a case.
inline std::optional<std::string> unsupported_by_passes(const Case& c) {
  if (c.text("saved") == "none") return "takes lse and delta or o from the forward; use saved=lse_delta or saved=lse_o";
  const int64_t batch = c.dim("B"), dim = c.dim("D");
  if (pass_blocks(batch, c.dim("Sk"), c.dim("HK"), dim) > INT32_MAX ||
      pass_blocks(batch, c.dim("Sq"), c.dim("H"), dim) > INT32_MAX)
    return "a block per 32 tokens and 128 lanes of a head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

inline void take_from_forward(Case& c) {
  if (c.text("saved") == "none") c.set("saved", "lse_delta");
}

}  // namespace assay::device
