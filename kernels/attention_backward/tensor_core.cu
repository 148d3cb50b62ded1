// Tensor cores, for bf16 and f16: a pass of blocks that own keys writes dK and dV, another of blocks that own queries
// writes dQ. No atomics, so every run gives the same bits; for that S and dP are computed twice, and there are seven
// products of two matrices instead of five.
//
// A warp owns 16 tokens, and tiles of tokens of the other kind stream by. P and dS stay in registers.
//
// D is a multiple of 8 up to 256, padded with zeros to the next of six sizes. A pair that is not visible adds 0 times
// its elements, so with causality they have to be finite.
#include <algorithm>
#include <string>

#include "harness/tensor/fill.h"
#include "kernels/device/attention_backward_warp.cuh"
#include "kernels/device/attention_delta.cuh"

namespace {

using namespace assay::device;

constexpr int kDimMax = 256;

// The shape of a block for heads padded to kDim: what fits in 48 KB of shared memory and 255 registers of a thread.
template <int kDim>
struct Plan {
  static constexpr int kOwned = kDim <= 128 ? 64 : 32;    // tokens that a block owns
  static constexpr int kStreamed = kDim <= 96 ? 32 : 16;  // tokens of a tile that streams by
  static constexpr int kStages = kDim <= 192 ? 2 : 1;     // such tiles in shared memory; with 2, one is being filled
  // Warps that share the lanes of 16 keys' gradients, and each compute their P and dS.
  static constexpr int kSlices = kDim <= 128 ? 1 : 2;
  static constexpr int kQueryThreads = kOwned / kWarpTokens * static_cast<int>(kWarp);
  static constexpr int kKeyThreads = kQueryThreads * kSlices;
};

template <class T, int kDim>
struct Tiles {
  TokenTile<T, Plan<kDim>::kOwned, kDim> owned;
  TokenTile<T, Plan<kDim>::kStreamed, kDim> streamed[Plan<kDim>::kStages];
};
static_assert(sizeof(Tiles<__half, 96>) <= 48 << 10 && sizeof(Tiles<__half, 128>) <= 48 << 10 &&
              sizeof(Tiles<__half, 192>) <= 48 << 10 && sizeof(Tiles<__half, 256>) <= 48 << 10);

template <class T>
using Inputs = BackwardInputs<T, NoBias>;

// The share of a block: tokens from `token` on of one head.
struct Owned {
  int64_t b, head, token;
};

__host__ __device__ int64_t tiles_of(int64_t tokens, int tile) { return (tokens + tile - 1) / tile; }

__device__ Owned owned_by_block(int64_t tokens, int64_t heads, int owned) {
  const int64_t tiles = tiles_of(tokens, owned);
  return {blockIdx.x / tiles / heads, blockIdx.x / tiles % heads, blockIdx.x % tiles * owned};
}

// Two neighbouring elements, written at once.
template <class G>
struct alignas(2 * sizeof(G)) Pair {
  G first, second;
};

// Writes factor·sums to 16 tokens from `token` on, in the lanes from first_lane on, or adds them to what is there. x:
// the head's first token.
template <class G, int kFragments>
__device__ void write(const float (&sums)[kFragments][4], float factor, G* x, int64_t token_stride, int64_t token,
                      int64_t tokens, int64_t first_lane, int64_t dim, bool adds = false) {
#pragma unroll
  for (int n = 0; n < kFragments; ++n)
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const MatrixPlace place = place_in_d(lane_id(), i);
      const int64_t row = token + place.row, lane = first_lane + 8 * n + place.col;
      if (row >= tokens || lane >= dim) continue;
      auto* const at = reinterpret_cast<Pair<G>*>(x + row * token_stride + lane);
      Pair<G> pair = adds ? *at : Pair<G>{};
      write_gradient(&pair.first, factor * sums[n][i], adds);
      write_gradient(&pair.second, factor * sums[n][i + 1], adds);
      *at = pair;
    }
}

// dK and dV, as k, of type G; added to what is there if in.adds.
template <class T, class G, int kDim>
__global__ void __launch_bounds__(Plan<kDim>::kKeyThreads) key_gradients(Inputs<T> in, G* dk, G* dv) {
  using P = Plan<kDim>;
  constexpr int kStreamed = P::kStreamed, kLanes = kDim / P::kSlices;
  __shared__ Tiles<T, kDim> tiles;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block(a.keys, a.kv_heads, P::kOwned);
  const int row = warp_id() / P::kSlices * kWarpTokens, first_lane = warp_id() % P::kSlices * kLanes;
  const int64_t key = own.token + row, kv_head = a.kv.at(own.b, 0, own.head);
  const int64_t first_query = a.first_query(own.token) / kStreamed * kStreamed;
  const int64_t tiles_of_head = tiles_of(a.queries - first_query, kStreamed);
  const int64_t group = a.heads / a.kv_heads;
  const auto head_of = [&](int64_t n) { return own.head * group + n / tiles_of_head; };
  const auto query_of = [&](int64_t n) { return first_query + n % tiles_of_head * kStreamed; };
  float dk_sums[kLanes / 8][4] = {}, dv_sums[kLanes / 8][4] = {};

  tiles.owned.begin_load(in.k, in.v, kv_head, a.kv.token, own.token, a.keys, a.dim, P::kKeyThreads);
  stream<P::kStages>(
      group * tiles_of_head,
      [&](int64_t n) {
        tiles.streamed[n % P::kStages].begin_load(in.q, in.dout, a.q.at(own.b, 0, head_of(n)), a.q.token, query_of(n),
                                                  a.queries, a.dim, P::kKeyThreads);
      },
      [&](int64_t n) {
        const int64_t query = query_of(n);
        const Visible which = visible_pairs(a, query, kStreamed, key, kWarpTokens);
        if (which == Visible::none) return;
        auto& other = tiles.streamed[n % P::kStages];
        LaneSaved<Owner::keys, kStreamed / 8> saved;
        load_saved<Owner::keys, kStreamed / 8>(in, own.b, head_of(n), query, saved);
        float s[kStreamed / 8][4] = {}, dp[kStreamed / 8][4] = {};
        add_dots(tiles.owned.qk, row, other.qk, s);
        add_dots(tiles.owned.do_v, row, other.do_v, dp);
        weigh<Owner::keys>(a, which, query, key, saved, s, dp);
        uint32_t p[kStreamed / 16][4], ds[kStreamed / 16][4];
        to_factors<T>(s, p);
        to_factors<T>(dp, ds);
        add_weighted(ds, other.qk, first_lane, dk_sums);
        add_weighted(p, other.do_v, first_lane, dv_sums);
      });
  write(dk_sums, a.scale, dk + kv_head, a.kv.token, key, a.keys, first_lane, a.dim, in.adds);
  write(dv_sums, 1, dv + kv_head, a.kv.token, key, a.keys, first_lane, a.dim, in.adds);
}

// dQ, as q.
template <class T, int kDim>
__global__ void __launch_bounds__(Plan<kDim>::kQueryThreads) query_gradients(Inputs<T> in, T* dq) {
  using P = Plan<kDim>;
  constexpr int kStreamed = P::kStreamed;
  __shared__ Tiles<T, kDim> tiles;
  const AttentionArgs& a = in.a;
  const Owned own = owned_by_block(a.queries, a.heads, P::kOwned);
  const int row = warp_id() * kWarpTokens;
  const int64_t query = own.token + row, head = a.q.at(own.b, 0, own.head);
  const int64_t end = own.token + P::kOwned < a.queries ? own.token + P::kOwned : a.queries;
  LaneSaved<Owner::queries, kStreamed / 8> saved;
  load_saved<Owner::queries, kStreamed / 8>(in, own.b, own.head, query, saved);
  float sums[kDim / 8][4] = {};

  tiles.owned.begin_load(in.q, in.dout, head, a.q.token, own.token, a.queries, a.dim, P::kQueryThreads);
  stream<P::kStages>(
      tiles_of(a.visible(end - 1), kStreamed),
      [&](int64_t n) {
        tiles.streamed[n % P::kStages].begin_load(in.k, in.v, a.kv.at(own.b, 0, a.kv_head(own.head)), a.kv.token,
                                                  n * kStreamed, a.keys, a.dim, P::kQueryThreads);
      },
      [&](int64_t n) {
        const int64_t key = n * kStreamed;
        const Visible which = visible_pairs(a, query, kWarpTokens, key, kStreamed);
        if (which == Visible::none) return;
        auto& other = tiles.streamed[n % P::kStages];
        float s[kStreamed / 8][4] = {}, dp[kStreamed / 8][4] = {};
        add_dots(tiles.owned.qk, row, other.qk, s);
        add_dots(tiles.owned.do_v, row, other.do_v, dp);
        weigh<Owner::queries>(a, which, query, key, saved, s, dp);
        uint32_t ds[kStreamed / 16][4];
        to_factors<T>(dp, ds);
        add_weighted(ds, other.qk, 0, sums);
      });
  write(sums, a.scale, dq + head, a.q.token, query, a.queries, 0, a.dim);
}

// Calls f.operator()<kDim>() with the smallest padded head size that holds `dim`.
template <class F>
void by_head_size(int64_t dim, F f) {
  if (dim <= 32) return f.template operator()<32>();
  if (dim <= 64) return f.template operator()<64>();
  if (dim <= 96) return f.template operator()<96>();
  if (dim <= 128) return f.template operator()<128>();
  if (dim <= 192) return f.template operator()<192>();
  return f.template operator()<kDimMax>();
}

template <class T>
void run_as(const assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  const auto in = backward_inputs<T>(call, given_or_computed_delta<T>(call, a, call.workspace<float>()), NoBias{});
  by_head_size(a.dim, [&]<int kDim>() {
    using P = Plan<kDim>;
    const auto blocks = [&](int64_t heads, int64_t tokens) {
      return dim3(static_cast<unsigned>(a.batch * heads * tiles_of(tokens, P::kOwned)));
    };
    const assay::Launch by_key = {.grid = blocks(a.kv_heads, a.keys), .block = dim3(P::kKeyThreads)};
    if (call.text("grads") == "f32")
      assay::launch(key_gradients<T, float, kDim>, by_key, in, call.out<float>("dk"), call.out<float>("dv"));
    else
      assay::launch(key_gradients<T, T, kDim>, by_key, in, call.out<T>("dk"), call.out<T>("dv"));
    assay::launch(query_gradients<T, kDim>, {.grid = blocks(a.heads, a.queries), .block = dim3(P::kQueryThreads)}, in,
                  call.out<T>("dq"));
  });
}

void run(assay::Call& call) {
  if (call.dtype() == assay::DType::bf16)
    run_as<__nv_bfloat16>(call);
  else
    run_as<__half>(call);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("saved") == "none") return "takes lse and delta or o from the forward; use saved=lse_delta or saved=lse_o";
  if (c.dim("D") % 8 != 0) return "cp.async copies 16 bytes of a row; D is a multiple of 8";
  if (c.dim("D") > kDimMax) return "the sums of longer heads than 256 do not fit in registers";
  if (c.text("causal") == "1" && assay::find_fill(c.fill)->has_nan)
    return "a NaN that a query does not see is multiplied by 0";
  constexpr int kOwnedMin = Plan<kDimMax>::kOwned;
  if (c.dim("B") * c.dim("H") * tiles_of(std::max(c.dim("Sq"), c.dim("Sk")), kOwnedMin) > INT32_MAX)
    return "a block per 32 tokens of a head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void adjust(assay::Case& c) {
  if (c.text("saved") == "none") c.set("saved", "lse_delta");
  c.set("D", std::to_string(std::min<int64_t>(kDimMax, (c.dim("D") + 7) / 8 * 8)));
  if (assay::find_fill(c.fill)->has_nan) c.set("causal", "0");
}

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "tensor_core",
                                       .summary = "mma.sync of 16-bit tiles, a pass for dK and dV and one for dQ",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .rounds = {"p", "ds"},
                                       .domains = {dkv_either_way(), delta_either_way()},
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .element_at = attention_element_at,
                                       .workspace_bytes = delta_bytes,
                                       .run = run});

}  // namespace
