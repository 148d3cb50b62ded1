// The first token of an id owns its row: its block finds the id's other tokens, adds them up and writes the row once.
//
// Against atomic_scatter: no atomics, the same bits in every run, each touched row of the table read and written once
// and in packs of 16 bytes. It costs a scan of all ids by every block, S²·4 bytes in all (from L2), which is nothing
// beside the gradients up to some ten thousand tokens and dominates beyond; and an id that most tokens share is summed
// by the blocks of one row alone. It needs multiples of 32 threads and no workspace.
#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using assay::device::kWarp;
using assay::device::Pack;

constexpr int64_t kTilesMax = 65535;  // limit of gridDim.y

// Whether a token before `token` has its id, asked by the whole block: a few ids per thread and barrier.
__device__ bool has_earlier(const uint32_t* ids, int64_t token) {
  constexpr int kIdsPerThread = 4;
  for (int64_t base = 0; base < token; base += kIdsPerThread * int64_t{blockDim.x}) {
    bool found = false;
    for (int k = 0; k < kIdsPerThread; ++k) {
      const int64_t other = base + k * int64_t{blockDim.x} + threadIdx.x;
      found |= other < token && ids[other] == ids[token];
    }
    if (__syncthreads_or(found)) return true;
  }
  return false;
}

// dw_row[first …] += the gradients of all tokens from `token` on with its id, in their order.
// matches: (blockDim.x / 32), one bit for each token of the stretch that the block looks at.
template <class T>
__device__ void add_tokens(const T* g, const uint32_t* ids, float* dw_row, int64_t token, int64_t tokens, int64_t dim,
                           int64_t first, unsigned* matches) {
  constexpr int kWidth = Pack<T>::kWidth, kFloats = Pack<float>::kWidth;
  const bool dw_aligned = assay::device::is_pack_aligned(dw_row);
  float sums[kWidth];
  for (int i = 0; i < kWidth; i += kFloats) {
    const Pack<float> initial = assay::device::load_pack(dw_row, first + i, dim, dw_aligned, 0);
    for (int k = 0; k < kFloats; ++k) sums[i + k] = initial.values[k];
  }
  for (int64_t base = token; base < tokens; base += blockDim.x) {
    const int64_t mine = base + threadIdx.x;
    const unsigned bits = __ballot_sync(assay::device::kAllLanes, mine < tokens && ids[mine] == ids[token]);
    if (threadIdx.x % kWarp == 0) matches[threadIdx.x / kWarp] = bits;
    __syncthreads();
    for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp)
      for (unsigned left = matches[warp]; left != 0; left &= left - 1) {
        const T* row = g + (base + warp * kWarp + __ffs(static_cast<int>(left)) - 1) * dim;
        const Pack<T> pack = assay::device::load_pack(row, first, dim, assay::device::is_pack_aligned(row), 0);
        for (int i = 0; i < kWidth; ++i) sums[i] += static_cast<float>(pack.values[i]);
      }
    __syncthreads();
  }
  for (int i = 0; i < kWidth; i += kFloats) {
    Pack<float> total;
    for (int k = 0; k < kFloats; ++k) total.values[k] = sums[i + k];
    assay::device::store_pack(dw_row, first + i, dim, dw_aligned, total);
  }
}

// Block (x, y): the row that token x owns, if it does; the column tiles y, y + gridDim.y, … of it.
template <class T>
__global__ void embedding_backward(const T* g,           // (tokens, dim)
                                   const uint32_t* ids,  // (tokens)
                                   float* dw,            // (vocab, dim)
                                   int64_t tokens, int64_t dim, int64_t vocab) {
  __shared__ unsigned matches[32];
  const int64_t token = blockIdx.x, id = ids[token];
  if (id >= vocab || has_earlier(ids, token)) return;
  const int64_t tile = int64_t{blockDim.x} * Pack<T>::kWidth;
  for (int64_t start = blockIdx.y * tile; start < dim; start += gridDim.y * tile)
    add_tokens(g, ids, dw + id * dim, token, tokens, dim, start + threadIdx.x * Pack<T>::kWidth, matches);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    const int64_t tiles = assay::ceil_div(dim, int64_t{call.block()} * Pack<T>::kWidth);
    const dim3 grid(static_cast<unsigned>(tokens), call.grid(tiles < kTilesMax ? tiles : kTilesMax));
    assay::launch(embedding_backward<T>, {.grid = grid, .block = dim3(call.block())}, call.in<T>("g"),
                  call.in<uint32_t>("ids"), call.out<float>("dw"), tokens, dim, vocab);
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("S") <= 0x7FFFFFFF) return std::nullopt;
  return "one block per token: a grid has at most 2^31 - 1";
}

const assay::RegisterVariant kVariant(
    {.op = "embedding_backward",
     .name = "owner_per_row",
     .summary = "one owner per touched row; no atomics, reproducible, scans ids S times",
     .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
     .any_grid = true,  // column tiles
     .unsupported = unsupported,
     .run = run});

}  // namespace
