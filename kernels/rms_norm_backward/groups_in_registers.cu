// A fixed grid of blocks that each walk over many groups, with the group and the block's share of dw in registers.
//
// Against block_per_group: every element is read once, in packs of 16 bytes; w is read once per block; dw needs no
// atomics, so that results are the same in every run. The price is a table of one partial dw per block in the
// workspace, a second kernel that adds it up, and a largest dim: four packs per thread.
#include <algorithm>

#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;  // leaves each thread 128 registers: enough for kHeldMax, except a few spilled words
constexpr int kHeldMax = 4;     // packs of a group per thread
constexpr int kThreadsWanted = 132 * 1024;  // of the whole grid: half of what an H200's multiprocessors hold

// x, g, dx: (groups, dim)  w: (dim)  partials: (gridDim.x, dim) f32. kHeld · blockDim.x packs cover a group.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    rms_norm_backward(const T* x, const T* g, const T* w, T* dx, float* partials, int64_t groups, int64_t dim,
                      float eps) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ float scratch[kBlockMax / kWarp];
  const auto first = [](int i) { return (threadIdx.x + i * int64_t{blockDim.x}) * kWidth; };

  Pack<T> w_held[kHeld];
  float dw[kHeld][kWidth] = {};
  for (int i = 0; i < kHeld; ++i) w_held[i] = load_pack(w, first(i), dim, is_pack_aligned(w), 0);

  for (int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const T *x_row = x + group * dim, *g_row = g + group * dim;
    T* dx_row = dx + group * dim;
    const bool aligned = is_pack_aligned(x_row) && is_pack_aligned(g_row) && is_pack_aligned(dx_row);
    Pack<T> x_held[kHeld], g_held[kHeld];
    for (int i = 0; i < kHeld; ++i) {
      x_held[i] = load_pack(x_row, first(i), dim, aligned, 0);
      g_held[i] = load_pack(g_row, first(i), dim, aligned, 0);
    }

    float squares = 0, dot = 0;
    for (int i = 0; i < kHeld; ++i)
      for (int j = 0; j < kWidth; ++j) {
        const float x_d = static_cast<float>(x_held[i].values[j]);
        squares += x_d * x_d;
        dot += x_d * static_cast<float>(w_held[i].values[j]) * static_cast<float>(g_held[i].values[j]);
      }
    squares = block_reduce_by_warps(squares, scratch, Add());
    dot = block_reduce_by_warps(dot, scratch, Add());
    const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
    const float factor = inv * inv * inv * dot / static_cast<float>(dim);

    for (int i = 0; i < kHeld; ++i) {
      Pack<T> gradient;
      for (int j = 0; j < kWidth; ++j) {
        const float x_d = static_cast<float>(x_held[i].values[j]), g_d = static_cast<float>(g_held[i].values[j]);
        gradient.values[j] = static_cast<T>(static_cast<float>(w_held[i].values[j]) * inv * g_d - x_d * factor);
        dw[i][j] += x_d * inv * g_d;
      }
      store_pack(dx_row, first(i), dim, aligned, gradient);
    }
  }

  float* partial = partials + blockIdx.x * dim;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth; ++j)
      if (first(i) + j < dim) partial[first(i) + j] = dw[i][j];
}

int64_t grid_size(const assay::Case& c) {
  return c.grid ? *c.grid : std::min<int64_t>(c.dim("G"), kThreadsWanted / *c.block);
}

std::optional<std::string> dim_too_large(const assay::Case& c) {
  if (held_packs(c.dtype, c.dim("dim"), *c.block) <= kHeldMax) return std::nullopt;
  return "dim does not fit into a block's registers: at most four packs of 16 bytes per thread";
}

int64_t workspace_bytes(const assay::Case& c) {
  return grid_size(c) * c.dim("dim") * static_cast<int64_t>(sizeof(float));
}

void run(assay::Call& call) {
  const int64_t groups = call.dim("G"), dim = call.dim("dim");
  if (groups == 0 || dim == 0) return;
  const int block = static_cast<int>(call.block());
  const int64_t grid = grid_size(call.c());
  auto* partials = call.workspace<float>();  // (grid, dim)
  assay::by_dtype(call, [&]<class T>() {
    by_held<kHeldMax>(held_packs(call.dtype(), dim, block), [&]<int kHeld>() {
      assay::launch(rms_norm_backward<T, kHeld>, block_for_each(call, grid), call.in<T>("x"), call.in<T>("g"),
                    call.in<T>("w"), call.out<T>("dx"), partials, groups, dim, call.real("eps"));
    });
  });
  launch_add_partials(partials, call.out<float>("dw"), grid, dim, true);
}

const assay::RegisterVariant kVariant({.op = "rms_norm_backward",
                                       .name = "groups_in_registers",
                                       .summary = "a fixed grid, groups and partial dw in registers, no atomics",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512},
                                       .any_grid = true,
                                       .unsupported = dim_too_large,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
