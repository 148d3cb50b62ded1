// Tensor cores, for bf16 and f16: a pass of blocks that own keys writes dK and dV, another of blocks that own queries
// writes dQ. No atomics, so every run gives the same bits; for that S and dP are computed twice, and there are seven
// products of two matrices instead of five.
//
// A warp owns 16 tokens, and tiles of tokens of the other kind stream by. Its S and dP come out of the tensor core with
// the elements in the lanes where the next product wants its left factor. So P and dS, rounded to the dtype, go on
// from registers and never see shared memory, which holds q, k, v and dO alone.
//
// D is a multiple of 8 up to 256, padded with zeros to the next of six sizes. A pair that is not visible adds 0 times
// its elements, so with causality they have to be finite.
#include <algorithm>
#include <string>

#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/attention_delta.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/swizzled_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kWarpTokens = 16;  // rows of an mma
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

template <class T, int kDim>
struct Tiles {
  TokenTile<T, Plan<kDim>::kOwned, kDim> owned;
  TokenTile<T, Plan<kDim>::kStreamed, kDim> streamed[Plan<kDim>::kStages];
};
static_assert(sizeof(Tiles<__half, 96>) <= 48 << 10 && sizeof(Tiles<__half, 128>) <= 48 << 10 &&
              sizeof(Tiles<__half, 192>) <= 48 << 10 && sizeof(Tiles<__half, 256>) <= 48 << 10);

template <class T>
using Inputs = BackwardInputs<T, NoBias>;

__device__ int lane_id() { return static_cast<int>(threadIdx.x % kWarp); }
__device__ int warp_id() { return static_cast<int>(threadIdx.x / kWarp); }

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

// Below, a lane's part of a matrix of 16 rows is one fragment D, float[4], for every 8 columns. As the left factor of a
// product it is one fragment A, uint32_t[4], for every 16 columns.

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

// sums += weights y, of the columns of y from first_lane on.
template <class T, int kStreamed, int kDim, int kFragments>
__device__ void add_weighted(const uint32_t (&weights)[kStreamed / 16][4], SwizzledTile<T, kStreamed, kDim>& y,
                             int first_lane, float (&sums)[kFragments][4]) {
#pragma unroll
  for (int n = 0; n < kStreamed; n += 16)
#pragma unroll
    for (int d = 0; d < kFragments * 8; d += 16) {
      uint32_t b[4];
      y.read_b(n, first_lane + d, b);
      mma_m16n8k16<T>(sums[d / 8], weights[n / 16], b);
      mma_m16n8k16<T>(sums[d / 8 + 1], weights[n / 16], b + 2);
    }
}

template <class T>
__device__ uint32_t round_pair(float low, float high) {
  if constexpr (std::is_same_v<T, __half>) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&pair);
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&pair);
  }
}

// Two fragments D side by side are a fragment A.
template <class T, int kCols>
__device__ void to_factors(const float (&sums)[kCols][4], uint32_t (&factors)[kCols / 2][4]) {
#pragma unroll
  for (int n = 0; n < kCols / 2; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      factors[n][i] = round_pair<T>(sums[2 * n + i / 2][i % 2 * 2], sums[2 * n + i / 2][i % 2 * 2 + 1]);
}

// What the forward left of a query.
struct Saved {
  float lse, delta;
};

template <class T>
__device__ Saved saved_of(const Inputs<T>& in, int64_t b, int64_t h, int64_t query) {
  if (query >= in.a.queries) return {0, 0};
  const int64_t row = (b * in.a.heads + h) * in.a.queries + query;
  return {in.lse[row], in.delta[row]};
}

enum class Visible { none, some, all };

// How many of the pairs of query_count queries from `query` on and key_count keys from `key` on are visible.
__device__ Visible visible_pairs(const AttentionArgs& a, int64_t query, int query_count, int64_t key, int key_count) {
  const int64_t end = query + query_count < a.queries ? query + query_count : a.queries;
  if (end <= query || a.visible(end - 1) <= key) return Visible::none;
  return query + query_count <= a.queries && a.visible(query) >= key + key_count ? Visible::all : Visible::some;
}

// Whose tokens are the rows of a warp's pairs; the others are the columns.
enum class Owner { keys, queries };

// What the forward left of a lane's queries: two for each fragment if they are columns, else two in all.
template <Owner kOwner, int kFragments>
using LaneSaved = Saved[kOwner == Owner::keys ? kFragments : 1][2];

template <Owner kOwner, int kFragments, class T>
__device__ void load_saved(const Inputs<T>& in, int64_t b, int64_t h, int64_t first_query,
                           LaneSaved<kOwner, kFragments>& saved) {
#pragma unroll
  for (int n = 0; n < (kOwner == Owner::keys ? kFragments : 1); ++n)
#pragma unroll
    for (int i = 0; i < 2; ++i)
      saved[n][i] = saved_of(in, b, h,
                             first_query + (kOwner == Owner::keys ? 8 * n + place_in_d(lane_id(), i).col
                                                                  : place_in_d(lane_id(), 2 * i).row));
}

// From S and dP of a warp's pairs to P and dS: its queries from `query` on with its keys from `key` on. A query that
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

// What a block owns: tokens from `token` on of one head.
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

// Writes factor·sums to 16 tokens from `token` on, in the lanes from first_lane on. x: the head's first token.
template <class G, int kFragments>
__device__ void write(const float (&sums)[kFragments][4], float factor, G* x, int64_t token_stride, int64_t token,
                      int64_t tokens, int64_t first_lane, int64_t dim) {
#pragma unroll
  for (int n = 0; n < kFragments; ++n)
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const MatrixPlace place = place_in_d(lane_id(), i);
      const int64_t row = token + place.row, lane = first_lane + 8 * n + place.col;
      if (row < tokens && lane < dim)
        *reinterpret_cast<Pair<G>*>(x + row * token_stride + lane) = {static_cast<G>(factor * sums[n][i]),
                                                                      static_cast<G>(factor * sums[n][i + 1])};
    }
}

// dK and dV, as k, of type G.
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
  write(dk_sums, a.scale, dk + kv_head, a.kv.token, key, a.keys, first_lane, a.dim);
  write(dv_sums, 1, dv + kv_head, a.kv.token, key, a.keys, first_lane, a.dim);
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
  if (c.text("causal") == "1" && c.fill == "nan") return "a NaN that a query does not see is multiplied by 0";
  constexpr int kOwnedMin = Plan<kDimMax>::kOwned;
  if (c.dim("B") * c.dim("H") * tiles_of(std::max(c.dim("Sq"), c.dim("Sk")), kOwnedMin) > INT32_MAX)
    return "a block per 32 tokens of a head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void adjust(assay::Case& c) {
  if (c.text("saved") == "none") c.set("saved", "lse_delta");
  c.set("D", std::to_string(std::min<int64_t>(kDimMax, (c.dim("D") + 7) / 8 * 8)));
  if (c.fill == "nan") c.set("causal", "0");
}

int64_t delta_bytes(const assay::Case& c) {
  return c.text("saved") == "lse_o" ? c.dim("B") * c.dim("H") * c.dim("Sq") * int64_t{sizeof(float)} : 0;
}

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "tensor_core",
                                       .summary = "mma.sync of 16-bit tiles, a pass for dK and dV and one for dQ",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .rounds_operands = true,
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .workspace_bytes = delta_bytes,
                                       .run = run});

}  // namespace
