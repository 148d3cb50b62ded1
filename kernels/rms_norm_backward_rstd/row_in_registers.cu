// A fixed grid of blocks that each walk over many rows, with the row and the block's share of dgamma in registers.
//
// Against column_sums: dy and x are read once, in packs of 16 bytes, before dx may overwrite dy; dgamma is a table of
// partial sums in the workspace, one row per block, which a second kernel adds up in one order, so that no atomics make
// two runs differ. The price is that table, and a longest row: four packs per thread.
#include <algorithm>

#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;              // leaves each thread 128 registers
constexpr int kHeldMax = 4;                 // packs of a row per thread
constexpr int kThreadsWanted = 132 * 1024;  // of the whole grid: half of what an H200's multiprocessors hold

// dy, x, dx: (tokens, stride)  gamma: (dim)  rstd: (tokens) f32  partials: (gridDim.x, dim) f32. kHeld · blockDim.x
// packs cover a row and its padding.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    rms_norm_backward_rstd(const T* dy, const T* x, const T* gamma, const float* rstd, T* dx, float* partials,
                           int64_t tokens, int64_t dim, int64_t stride) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ float scratch[kBlockMax / kWarp];
  const auto first = [](int i) { return (threadIdx.x + i * int64_t{blockDim.x}) * kWidth; };

  Pack<T> weight[kHeld];
  float dgamma[kHeld][kWidth] = {};
  for (int i = 0; i < kHeld; ++i) weight[i] = load_pack(gamma, first(i), dim, is_pack_aligned(gamma), 0);

  for (int64_t t = blockIdx.x; t < tokens; t += gridDim.x) {
    const T *dy_row = dy + t * stride, *x_row = x + t * stride;
    T* dx_row = dx + t * stride;
    const bool aligned = is_pack_aligned(dy_row) && is_pack_aligned(x_row) && is_pack_aligned(dx_row);
    const float inv = rstd[t];
    Pack<T> gradient[kHeld], normalised[kHeld];
    float dots = 0;
    for (int i = 0; i < kHeld; ++i) {
      gradient[i] = load_pack(dy_row, first(i), dim, aligned, 0);
      normalised[i] = load_pack(x_row, first(i), dim, aligned, 0);
      for (int j = 0; j < kWidth && first(i) + j < dim; ++j) {
        const float dy_d = static_cast<float>(gradient[i].values[j]);
        const float xhat = static_cast<float>(normalised[i].values[j]) * inv;
        dots += dy_d * static_cast<float>(weight[i].values[j]) * xhat;
        dgamma[i][j] += dy_d * xhat;
      }
    }
    const float mean = block_reduce_by_warps(dots, scratch, Add()) / static_cast<float>(dim);

    for (int i = 0; i < kHeld; ++i) {
      Pack<T> result;
      for (int j = 0; j < kWidth; ++j) {
        const float scaled = static_cast<float>(gradient[i].values[j]) * static_cast<float>(weight[i].values[j]);
        const float xhat = static_cast<float>(normalised[i].values[j]) * inv;
        result.values[j] = static_cast<T>(first(i) + j < dim ? inv * (scaled - xhat * mean) : 0.0f);
      }
      store_pack(dx_row, first(i), stride, aligned, result);
    }
  }

  float* partial = partials + blockIdx.x * dim;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth; ++j)
      if (first(i) + j < dim) partial[first(i) + j] = dgamma[i][j];
}

int64_t grid_size(int64_t tokens, int block) { return std::min<int64_t>(tokens, kThreadsWanted / block); }

std::optional<std::string> row_too_long(const assay::Case& c) {
  if (held_packs(c.dtype, c.dim("aE"), *c.block) <= kHeldMax) return std::nullopt;
  return "a row does not fit into a block's registers: at most four packs of 16 bytes per thread";
}

int64_t workspace_bytes(const assay::Case& c) {
  return grid_size(c.dim("T"), *c.block) * c.dim("aE") * static_cast<int64_t>(sizeof(float));
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE"), dim = stride - call.dim("pad");
  const int block = static_cast<int>(call.block());
  const int64_t grid = grid_size(tokens, block);
  auto* partials = call.workspace<float>();  // (grid, dim)
  if (grid > 0)
    assay::by_dtype(call, [&]<class T>() {
      by_held<kHeldMax>(held_packs(call.dtype(), stride, block), [&]<int kHeld>() {
        assay::launch(rms_norm_backward_rstd<T, kHeld>, block_for_each(call, grid), call.in<T>("dy"), call.in<T>("x"),
                      call.in<T>("gamma"), call.in<float>("rstd"), call.out<T>("dx"), partials, tokens, dim, stride);
      });
    });
  launch_add_partials(partials, call.out<float>("dgamma"), grid, dim, false);
}

const assay::RegisterVariant kVariant({.op = "rms_norm_backward_rstd",
                                       .name = "row_in_registers",
                                       .summary = "a fixed grid, rows and partial dgamma in registers, no atomics",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512},
                                       .unsupported = row_too_long,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
