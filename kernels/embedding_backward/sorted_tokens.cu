// Tokens are sorted by their ids first, and each row of the table then adds the tokens of its id.
//
// Against owner_per_row: the work is a few passes over the ids and one over the gradients, however many tokens there
// are, where a scan of all ids by each token's block grows with the square of their number. The sort goes digit by
// digit, from the lowest, and keeps the order of equal ones, so a row adds its tokens in their order and the bits are
// those of every run. Two digits of nine bits hold 262144 rows, which is every vocabulary in use. Nothing depends on
// the size of the table: rows without a token cost nothing. It costs two launches for each digit, five in all for such
// a table, and 16 bytes of workspace for each token. An id that most tokens share is still summed by the blocks of one
// row alone, with four of its tokens on their way at a time.
#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using assay::device::kWarp;
using assay::device::Pack;

constexpr int kDigitBits = 9;
constexpr int kDigits = 1 << kDigitBits;  // values of a digit; a sorting block has a thread for each
constexpr int kWarps = kDigits / static_cast<int>(kWarp);
// Tiles of tokens, a block each. Every block adds up the counts of all tiles, so more of them would cost more than the
// multiprocessors that they occupy save.
constexpr int kTilesMax = 32;
constexpr int kAtOnce = 4;  // tokens of a row whose gradients are on their way together

// Tokens in some order, with their ids. first_pass: they are all tokens in their own order, `tokens` is null, and ids
// without a row are among them, which the pass leaves out.
struct Order {
  uint32_t* ids;    // (count)
  int32_t* tokens;  // (count)
};

// The data of every pass. A tile is `rounds` times kDigits neighbouring places of the order.
struct Sorting {
  Order from, to;
  int32_t* counts;  // (tiles, kDigits): of each digit's value in each tile
  int32_t* kept;    // how many tokens have a row: known once the first pass is done
  int64_t tokens, vocab;
  int rounds, tiles, shift;
  bool first_pass;

  __device__ int64_t count() const { return first_pass ? tokens : *kept; }
  __device__ int64_t place(int round) const { return (int64_t{blockIdx.x} * rounds + round) * kDigits + threadIdx.x; }
  // The digit at a place; kDigits where no token is, or one without a row.
  __device__ int digit(int64_t place, int64_t count) const {
    if (place >= count || from.ids[place] >= vocab) return kDigits;
    return static_cast<int>(from.ids[place] >> shift & (kDigits - 1));
  }
};

// Counts the values of the digit in the tile blockIdx.x.
__global__ void __launch_bounds__(kDigits) count_digits(Sorting sorting) {
  __shared__ int32_t counts[kDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int64_t count = sorting.count();
  for (int round = 0; round < sorting.rounds; ++round) {
    const int digit = sorting.digit(sorting.place(round), count);
    if (digit < kDigits) atomicAdd(&counts[digit], 1);
  }
  __syncthreads();
  sorting.counts[int64_t{blockIdx.x} * kDigits + threadIdx.x] = counts[threadIdx.x];
}

// The place of the tile's first token whose digit is threadIdx.x: behind all of lower digits, and those of this digit
// in earlier tiles. The last tile also writes how many there are. sums: (kWarps) of shared memory.
__device__ int32_t first_place(const Sorting& sorting, int32_t* sums) {
  int32_t earlier = 0, all = 0;
#pragma unroll 8
  for (int tile = 0; tile < sorting.tiles; ++tile) {
    const int32_t count = sorting.counts[int64_t{tile} * kDigits + threadIdx.x];
    earlier += tile < static_cast<int>(blockIdx.x) ? count : 0;
    all += count;
  }
  const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
  int32_t up_to = all;  // over the lanes of the warp, this one included
  for (int distance = 1; distance < static_cast<int>(kWarp); distance *= 2) {
    const int32_t other = __shfl_up_sync(assay::device::kAllLanes, up_to, distance);
    up_to += lane >= distance ? other : 0;
  }
  if (lane == static_cast<int>(kWarp) - 1) sums[warp] = up_to;
  __syncthreads();
  for (int w = 0; w < warp; ++w) up_to += sums[w];
  if (sorting.first_pass && threadIdx.x == kDigits - 1 && static_cast<int>(blockIdx.x) == sorting.tiles - 1)
    *sorting.kept = up_to;
  return up_to - all + earlier;
}

// Moves the tokens of the tile blockIdx.x to their places. In a round each thread has a token; those of equal digits
// differ by their warps, then by their lanes.
__global__ void __launch_bounds__(kDigits) move_tokens(Sorting sorting) {
  __shared__ int32_t places[kWarps][kDigits];  // counts of a warp's digits, then where its first one goes
  __shared__ int32_t sums[kWarps];
  const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
  int32_t next = first_place(sorting, sums);
  const int64_t count = sorting.count();
  for (int round = 0; round < sorting.rounds; ++round) {
    for (auto& of_warp : places) of_warp[threadIdx.x] = 0;
    __syncthreads();
    const int64_t place = sorting.place(round);
    const int digit = sorting.digit(place, count);
    const unsigned same = __match_any_sync(assay::device::kAllLanes, digit);
    const int before = __popc(same & ((1u << lane) - 1));
    if (digit < kDigits && before == 0) places[warp][digit] = __popc(same);
    __syncthreads();
    for (auto& of_warp : places) {
      const int32_t here = of_warp[threadIdx.x];
      of_warp[threadIdx.x] = next;
      next += here;
    }
    __syncthreads();
    if (digit < kDigits) {
      const int32_t to = places[warp][digit] + before;
      sorting.to.ids[to] = sorting.from.ids[place];
      sorting.to.tokens[to] = sorting.first_pass ? static_cast<int32_t>(place) : sorting.from.tokens[place];
    }
    __syncthreads();
  }
}

// dw_row[first …] += the gradients of the tokens from place `begin` on, as long as their id is that of the first.
template <class T>
__device__ void add_tokens(const T* g, Order order, float* dw_row, int64_t begin, int64_t end, int64_t dim,
                           int64_t first) {
  constexpr int kWidth = Pack<T>::kWidth, kFloats = Pack<float>::kWidth;
  const bool dw_aligned = assay::device::is_pack_aligned(dw_row);
  const uint32_t id = order.ids[begin];
  float sums[kWidth];
  for (int i = 0; i < kWidth; i += kFloats) {
    const Pack<float> initial = assay::device::load_pack(dw_row, first + i, dim, dw_aligned, 0);
    for (int k = 0; k < kFloats; ++k) sums[i + k] = initial.values[k];
  }
  bool more = true;
  for (int64_t place = begin; more; place += kAtOnce) {
    Pack<T> packs[kAtOnce];
    bool is_ours[kAtOnce];
#pragma unroll
    for (int t = 0; t < kAtOnce; ++t) {
      is_ours[t] = place + t < end && order.ids[place + t] == id;
      if (!is_ours[t]) continue;
      const T* row = g + int64_t{order.tokens[place + t]} * dim;
      packs[t] = assay::device::load_pack(row, first, dim, assay::device::is_pack_aligned(row), 0);
    }
#pragma unroll
    for (int t = 0; t < kAtOnce; ++t)
      if (is_ours[t])
        for (int i = 0; i < kWidth; ++i) sums[i] += static_cast<float>(packs[t].values[i]);
    more = is_ours[kAtOnce - 1];
  }
  for (int i = 0; i < kWidth; i += kFloats) {
    Pack<float> total;
    for (int k = 0; k < kFloats; ++k) total.values[k] = sums[i + k];
    assay::device::store_pack(dw_row, first + i, dim, dw_aligned, total);
  }
}

// Block (x, y): the row whose tokens begin at place x of the order, if some do; the column tiles y, y + gridDim.y, ….
template <class T>
__global__ void __launch_bounds__(1024) add_rows(const T* g,           // (tokens, dim)
                                                 Order order,          // (kept), sorted
                                                 const int32_t* kept,  // (1)
                                                 float* dw,            // (vocab, dim)
                                                 int64_t dim) {
  const int64_t begin = blockIdx.x, end = *kept;
  if (begin >= end || (begin > 0 && order.ids[begin] == order.ids[begin - 1])) return;
  const int64_t tile = int64_t{blockDim.x} * Pack<T>::kWidth;
  for (int64_t start = blockIdx.y * tile; start < dim; start += gridDim.y * tile)
    add_tokens(g, order, dw + order.ids[begin] * dim, begin, end, dim, start + threadIdx.x * Pack<T>::kWidth);
}

int rounds_of(int64_t tokens) { return static_cast<int>(assay::ceil_div(tokens, int64_t{kDigits} * kTilesMax)); }

// Two orders, the counts of every tile, and how many tokens have a row.
int64_t workspace_bytes(const assay::Case& c) {
  return (4 * c.dim("S") + kTilesMax * kDigits + 1) * int64_t{sizeof(int32_t)};
}

// The order of tokens by their ids, once all launches that this makes are done.
Order sort(assay::Call& call, int32_t* kept, int64_t tokens, int64_t vocab) {
  uint32_t* memory = call.workspace<uint32_t>();
  const auto order = [&](int64_t half) {
    uint32_t* ids = memory + half * 2 * tokens;
    return Order{ids, reinterpret_cast<int32_t*>(ids + tokens)};
  };
  const int rounds = rounds_of(tokens);
  Sorting sorting{.from = {const_cast<uint32_t*>(call.in<uint32_t>("ids")), nullptr},
                  .to = order(0),
                  .counts = kept + 1,
                  .kept = kept,
                  .tokens = tokens,
                  .vocab = vocab,
                  .rounds = rounds,
                  .tiles = static_cast<int>(assay::ceil_div(tokens, int64_t{kDigits} * rounds)),
                  .shift = 0,
                  .first_pass = true};
  const assay::Launch blocks{.grid = dim3(static_cast<unsigned>(sorting.tiles)), .block = dim3(kDigits)};
  while (true) {
    assay::launch(count_digits, blocks, sorting);
    assay::launch(move_tokens, blocks, sorting);
    sorting.shift += kDigitBits;
    if ((vocab - 1) >> sorting.shift == 0) return sorting.to;
    sorting.from = sorting.to;
    sorting.to = order(sorting.shift / kDigitBits % 2);
    sorting.first_pass = false;
  }
}

constexpr int64_t kColumnTilesMax = 65535;  // limit of gridDim.y

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  int32_t* kept = call.workspace<int32_t>() + 4 * tokens;
  const Order order = sort(call, kept, tokens, vocab);
  assay::by_dtype(call, [&]<class T>() {
    const int64_t tiles = assay::ceil_div(dim, int64_t{call.block()} * Pack<T>::kWidth);
    const dim3 grid(static_cast<unsigned>(tokens), call.grid(tiles < kColumnTilesMax ? tiles : kColumnTilesMax));
    assay::launch(add_rows<T>, {.grid = grid, .block = dim3(call.block())}, call.in<T>("g"), order, kept,
                  call.out<float>("dw"), dim);
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("S") <= 0x7FFFFFFF) return std::nullopt;
  return "one block per token: a grid has at most 2^31 - 1";
}

const assay::RegisterVariant kVariant({.op = "embedding_backward",
                                       .name = "sorted_tokens",
                                       .summary = "tokens sorted by id, then a sum for each row; reproducible, linear",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
                                       .any_grid = true,  // column tiles
                                       .unsupported = unsupported,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
