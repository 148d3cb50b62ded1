// One warp per row, the rows of both ends of a head paired: row i and row T - 1 - i.
//
// Against block_per_row: no shared memory and no barrier, 16-byte accesses where rows are aligned, and every warp has
// T + 1 columns, so that none waits for the long rows at the end. The price is that a long row has only 32 threads.
#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// One row of `columns` elements and as many zeros behind them as make `tokens`. dp, ds: maybe one buffer; a lane reads
// and writes the same columns.
template <class T>
__device__ void row_gradient(const T* w, const T* dp, T* ds, int64_t columns, int64_t tokens, float scale) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t lane = threadIdx.x % kWarp;
  const bool aligned = is_pack_aligned(w) && is_pack_aligned(dp) && is_pack_aligned(ds);
  float dot = 0;
  for (int64_t pack = lane; pack < pack_count<T>(columns); pack += kWarp) {
    const Pack<T> ws = load_pack(w, pack * kWidth, columns, aligned, 0);
    const Pack<T> dps = load_pack(dp, pack * kWidth, columns, aligned, 0);
    for (int i = 0; i < kWidth; ++i) dot += static_cast<float>(ws.values[i]) * static_cast<float>(dps.values[i]);
  }
  dot = warp_reduce(dot, Add());
  for (int64_t pack = lane; pack < pack_count<T>(tokens); pack += kWarp) {
    const Pack<T> ws = load_pack(w, pack * kWidth, columns, aligned, 0);
    Pack<T> dps = load_pack(dp, pack * kWidth, columns, aligned, 0);
    for (int i = 0; i < kWidth; ++i) {
      const float gradient = static_cast<float>(ws.values[i]) * (static_cast<float>(dps.values[i]) - dot) * scale;
      dps.values[i] = static_cast<T>(pack * kWidth + i < columns ? gradient : 0.0f);
    }
    store_pack(ds, pack * kWidth, tokens, aligned, dps);
  }
}

// w, dp, ds: (heads, width, width). A warp per pair of rows.
template <class T>
__global__ void causal_softmax_backward(const T* w, const T* dp, T* ds, int64_t heads, int64_t tokens, int64_t width,
                                        float scale) {
  const int64_t pairs = (tokens + 1) / 2, n = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (n >= heads * pairs) return;
  const int64_t i = n % pairs, last = tokens - 1 - i;
  const int64_t row = score_row(n / pairs, i, width), last_row = score_row(n / pairs, last, width);
  row_gradient(w + row, dp + row, ds + row, i + 1, tokens, scale);
  if (last != i) row_gradient(w + last_row, dp + last_row, ds + last_row, last + 1, tokens, scale);
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), warps = heads * ((tokens + 1) / 2);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(causal_softmax_backward<T>, thread_for_each(call, warps * kWarp), call.in<T>("w"), call.in<T>("dp"),
                  call.out<T>("ds"), heads, tokens, call.dim("aw"), call.real("scale"));
  });
}

const assay::RegisterVariant kVariant({.op = "causal_softmax_backward",
                                       .name = "warp_per_row",
                                       .summary = "a warp per short and long row, 16-byte accesses",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = too_many_blocks("at worst a block per row", {"H", "T"}),
                                       .element_at = score_element_at,
                                       .run = run});

}  // namespace
