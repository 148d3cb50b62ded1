// A fixed grid of blocks that each walk over many rows, with the row and the block's share of dgamma and dbeta in
// registers.
//
// Against column_sums: dy and x are read once, in packs of 16 bytes; what a block has of dgamma and dbeta is a row of a
// table in the workspace, which a second kernel adds up in one order, so that no atomics make two runs differ. The
// price is that table, and a longest row: two packs per thread.
#include <algorithm>

#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;              // leaves each thread 128 registers
constexpr int kHeldMax = 2;                 // packs of a row per thread
constexpr int kThreadsWanted = 132 * 1024;  // of the whole grid: half of what an H200's multiprocessors hold

// dy, x, dx: (tokens, dim)  gamma: (dim)  mean, rstd: (tokens) f32  partials: (2, gridDim.x, dim) f32, of dgamma, then
// of dbeta. kHeld · blockDim.x packs cover a row.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    layer_norm_backward(const T* dy, const T* x, const T* gamma, const float* mean, const float* rstd, T* dx,
                        float* partials, int64_t tokens, int64_t dim, bool adds) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ float scratch[kBlockMax / kWarp];
  const auto first = [](int i) { return (threadIdx.x + i * int64_t{blockDim.x}) * kWidth; };

  Pack<T> weight[kHeld];
  float of_gamma[kHeld][kWidth] = {}, of_beta[kHeld][kWidth] = {};
  for (int i = 0; i < kHeld; ++i) weight[i] = load_pack(gamma, first(i), dim, is_pack_aligned(gamma), 0);

  for (int64_t t = blockIdx.x; t < tokens; t += gridDim.x) {
    const T *dy_row = dy + t * dim, *x_row = x + t * dim;
    T* dx_row = dx + t * dim;
    const float centre = mean[t], inv = rstd[t];
    float scaled[kHeld][kWidth], normalised[kHeld][kWidth];
    float sum = 0, dots = 0;
    for (int i = 0; i < kHeld; ++i) {
      const Pack<T> gradient = load_pack(dy_row, first(i), dim, is_pack_aligned(dy_row), 0);
      const Pack<T> element = load_pack(x_row, first(i), dim, is_pack_aligned(x_row), 0);
      for (int j = 0; j < kWidth; ++j) {
        if (first(i) + j >= dim) break;
        const float dy_d = static_cast<float>(gradient.values[j]);
        normalised[i][j] = (static_cast<float>(element.values[j]) - centre) * inv;
        scaled[i][j] = dy_d * static_cast<float>(weight[i].values[j]);
        sum += scaled[i][j];
        dots += scaled[i][j] * normalised[i][j];
        of_gamma[i][j] += dy_d * normalised[i][j];
        of_beta[i][j] += dy_d;
      }
    }
    const float mean_scaled = block_reduce_by_warps(sum, scratch, Add()) / static_cast<float>(dim);
    const float mean_dot = block_reduce_by_warps(dots, scratch, Add()) / static_cast<float>(dim);

    for (int i = 0; i < kHeld; ++i) {
      Pack<T> result = {};
      if (adds) result = load_pack(dx_row, first(i), dim, is_pack_aligned(dx_row), 0);
      for (int j = 0; j < kWidth; ++j) {
        if (first(i) + j >= dim) break;
        const float gradient = inv * (scaled[i][j] - mean_scaled - normalised[i][j] * mean_dot);
        result.values[j] = static_cast<T>(adds ? static_cast<float>(result.values[j]) + gradient : gradient);
      }
      store_pack(dx_row, first(i), dim, is_pack_aligned(dx_row), result);
    }
  }

  float* gamma_share = partials + blockIdx.x * dim;
  float* beta_share = gamma_share + gridDim.x * dim;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth; ++j) {
      if (first(i) + j >= dim) break;
      gamma_share[first(i) + j] = of_gamma[i][j];
      beta_share[first(i) + j] = of_beta[i][j];
    }
}

int64_t grid_size(const assay::Case& c) {
  return c.grid ? *c.grid : std::min<int64_t>(c.dim("T"), kThreadsWanted / *c.block);
}

std::optional<std::string> row_too_long(const assay::Case& c) {
  if (held_packs(c.dtype, c.dim("E"), *c.block) <= kHeldMax) return std::nullopt;
  return "a row does not fit into a block's registers: at most two packs of 16 bytes per thread";
}

int64_t workspace_bytes(const assay::Case& c) {
  return 2 * grid_size(c) * c.dim("E") * static_cast<int64_t>(sizeof(float));
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("E"), grid = tokens == 0 ? 0 : grid_size(call.c());
  const bool adds_dx = call.text("dx") == "accumulate", adds_dw = call.text("dw") == "accumulate";
  auto* partials = call.workspace<float>();  // (2, grid, dim)
  if (grid > 0)
    assay::by_dtype(call, [&]<class T>() {
      const int held = held_packs(call.dtype(), dim, static_cast<int>(call.block()));
      assay::launch(held == 1 ? layer_norm_backward<T, 1> : layer_norm_backward<T, 2>, block_for_each(call, grid),
                    call.in<T>("dy"), call.in<T>("x"), call.in<T>("gamma"), call.in<float>("mean"),
                    call.in<float>("rstd"), call.out<T>("dx"), partials, tokens, dim, adds_dx);
    });
  launch_add_partials(partials, call.out<float>("dgamma"), grid, dim, adds_dw);
  launch_add_partials(partials + grid * dim, call.out<float>("dbeta"), grid, dim, adds_dw);
}

const assay::RegisterVariant kVariant({.op = "layer_norm_backward",
                                       .name = "row_in_registers",
                                       .summary = "a fixed grid, rows and partial sums in registers, no atomics",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512},
                                       .any_grid = true,
                                       .unsupported = row_too_long,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
