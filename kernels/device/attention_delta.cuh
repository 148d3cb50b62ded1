// delta_i = dO_i·O_i of every query and head: what the gradient of a softmax subtracts from dP, found before the tiles.
#pragma once

#include "kernels/device/attention.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

constexpr unsigned kDeltaThreads = 128;

// A warp per row; blocks are multiples of 32 threads.
template <class T>
__global__ void attention_delta(const T* dout, const T* o,  // (B, tokens, heads, D), or heads before tokens
                                float* delta,               // (B, H, Sq)
                                AttentionArgs a) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t row = int64_t{blockIdx.x} * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row >= a.batch * a.heads * a.queries) return;
  const int64_t at = a.q.at(row / a.queries / a.heads, row % a.queries, row / a.queries % a.heads);
  const T *x = dout + at, *y = o + at;
  const bool x_aligned = is_pack_aligned(x), y_aligned = is_pack_aligned(y);
  float sum = 0;
  for (int64_t d = threadIdx.x % kWarp * kWidth; d < a.dim; d += kWarp * kWidth) {
    const Pack<T> xs = load_pack(x, d, a.dim, x_aligned, 0), ys = load_pack(y, d, a.dim, y_aligned, 0);
    for (int i = 0; i < kWidth; ++i) sum += static_cast<float>(xs.values[i]) * static_cast<float>(ys.values[i]);
  }
  sum = warp_reduce(sum, Add());
  if (threadIdx.x % kWarp == 0) delta[row] = sum;
}

// delta of a case: the one that it was given, or the one computed from its o into `computed`, (B, H, Sq) f32.
template <class T>
const float* given_or_computed_delta(const Call& call, const AttentionArgs& a, float* computed) {
  if (call.text("saved") == "lse_delta") return call.in<float>("delta");
  launch(attention_delta<T>,
         {.grid = dim3(ceil_div(a.batch * a.heads * a.queries, kDeltaThreads / kWarp)), .block = dim3(kDeltaThreads)},
         call.in<T>("do"), call.in<T>("o"), computed, a);
  return computed;
}

// Workspace of a kernel that calls given_or_computed_delta() with nothing else in it.
inline int64_t delta_bytes(const Case& c) {
  return c.text("saved") == "lse_o" ? c.dim("B") * c.dim("H") * c.dim("Sq") * int64_t{sizeof(float)} : 0;
}

}  // namespace assay::device
