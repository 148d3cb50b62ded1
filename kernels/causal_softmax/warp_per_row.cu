// One warp per row, the rows of both ends of a head paired: row i and row T - 1 - i.
//
// Against block_per_row: no shared memory and no barrier, 16-byte accesses where rows are aligned, and every warp has
// T + 1 columns, so that none waits for the long rows at the end. The price is that a long row has only 32 threads.
#include <cmath>

#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/scaled.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// One row of `columns` scores and as many zeros behind them as make `tokens`. scores, probs: maybe one buffer; a lane
// reads and writes the same columns.
template <class T>
__device__ void softmax_row(const T* scores, T* probs, int64_t columns, int64_t tokens, float scale) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t lane = threadIdx.x % kWarp;
  const bool aligned = is_pack_aligned(scores) && is_pack_aligned(probs);
  float maximum = -INFINITY, total = 0;
  for (int64_t pack = lane; pack < pack_count<T>(columns); pack += kWarp) {
    const Pack<T> loaded = load_pack(scores, pack * kWidth, columns, aligned, -INFINITY);
    for (int i = 0; i < kWidth; ++i) maximum = Larger()(maximum, scaled(loaded.values[i], scale));
  }
  maximum = warp_reduce(maximum, Larger());
  for (int64_t pack = lane; pack < pack_count<T>(columns); pack += kWarp) {
    const Pack<T> loaded = load_pack(scores, pack * kWidth, columns, aligned, -INFINITY);
    for (int i = 0; i < kWidth && pack * kWidth + i < columns; ++i)
      total += expf(scaled(loaded.values[i], scale) - maximum);
  }
  total = warp_reduce(total, Add());
  for (int64_t pack = lane; pack < pack_count<T>(tokens); pack += kWarp) {
    Pack<T> values = load_pack(scores, pack * kWidth, columns, aligned, -INFINITY);
    for (int i = 0; i < kWidth; ++i)
      values.values[i] =
          static_cast<T>(pack * kWidth + i < columns ? expf(scaled(values.values[i], scale) - maximum) / total : 0.0f);
    store_pack(probs, pack * kWidth, tokens, aligned, values);
  }
}

// scores, probs: (heads, width, width). A warp per pair of rows.
template <class T>
__global__ void causal_softmax(const T* scores, T* probs, int64_t heads, int64_t tokens, int64_t width, float scale) {
  const int64_t pairs = (tokens + 1) / 2, n = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (n >= heads * pairs) return;
  const int64_t i = n % pairs, last = tokens - 1 - i;
  const int64_t row = score_row(n / pairs, i, width), last_row = score_row(n / pairs, last, width);
  softmax_row(scores + row, probs + row, i + 1, tokens, scale);
  if (last != i) softmax_row(scores + last_row, probs + last_row, last + 1, tokens, scale);
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), warps = heads * ((tokens + 1) / 2);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(causal_softmax<T>, thread_for_each(call, warps * kWarp), call.in<T>("scores"), call.out<T>("probs"),
                  heads, tokens, call.dim("aw"), call.real("scale"));
  });
}

const assay::RegisterVariant kVariant({.op = "causal_softmax",
                                       .name = "warp_per_row",
                                       .summary = "a warp per short and long row, 16-byte accesses",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = too_many_blocks("at worst a block per row", {"H", "T"}),
                                       .element_at = score_element_at,
                                       .run = run});

}  // namespace
