// One warp per token, its row in registers, in packs of 16 bytes.
//
// Against block_per_row: no barrier and no shared memory, x is read once, and several rows share a block. The price is
// a longest row: eight packs per lane, 1024 elements in f32 and 2048 in the 16-bit types.
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;  // leaves each thread 128 registers
constexpr int kHeldMax = 8;     // packs of a row per lane

// x, y: (tokens, dim)  gamma, beta: (dim)  mean, rstd: (tokens) f32. kHeld · 32 packs cover a row.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    layer_norm_forward(const T* x, const T* gamma, const T* beta, T* y, float* mean, float* rstd, int64_t tokens,
                       int64_t dim, float eps) {
  constexpr int kWidth = Pack<T>::kWidth;
  const unsigned lane = threadIdx.x % kWarp;
  const int64_t t = blockIdx.x * int64_t{blockDim.x / kWarp} + threadIdx.x / kWarp;
  if (t >= tokens) return;  // the whole warp
  x += t * dim;
  y += t * dim;
  const auto first = [&](int i) { return (lane + i * int64_t{kWarp}) * kWidth; };

  Pack<T> held[kHeld];
  float sum = 0;
  for (int i = 0; i < kHeld; ++i) {
    held[i] = load_pack(x, first(i), dim, is_pack_aligned(x), 0);
    for (int j = 0; j < kWidth; ++j) sum += static_cast<float>(held[i].values[j]);
  }
  const float centre = warp_reduce(sum, Add()) / static_cast<float>(dim);

  float squares = 0;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth && first(i) + j < dim; ++j) {
      const float deviation = static_cast<float>(held[i].values[j]) - centre;
      squares += deviation * deviation;
    }
  const float inv = 1 / sqrtf(warp_reduce(squares, Add()) / static_cast<float>(dim) + eps);
  if (lane == 0) {
    mean[t] = centre;
    rstd[t] = inv;
  }

  for (int i = 0; i < kHeld; ++i) {
    const Pack<T> factor = load_pack(gamma, first(i), dim, is_pack_aligned(gamma), 0);
    const Pack<T> shift = load_pack(beta, first(i), dim, is_pack_aligned(beta), 0);
    for (int j = 0; j < kWidth; ++j) {
      const float normalised = (static_cast<float>(held[i].values[j]) - centre) * inv;
      held[i].values[j] =
          static_cast<T>(normalised * static_cast<float>(factor.values[j]) + static_cast<float>(shift.values[j]));
    }
    store_pack(y, first(i), dim, is_pack_aligned(y), held[i]);
  }
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("T") > INT32_MAX) return "a grid has at most 2^31 - 1 blocks";
  if (held_packs(c.dtype, c.dim("E"), kWarp) > kHeldMax)
    return "a row does not fit into a warp's registers: at most eight packs of 16 bytes per lane";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  if (tokens == 0) return;
  const int held = held_packs(call.dtype(), call.dim("E"), kWarp);
  assay::by_dtype(call, [&]<class T>() {
    by_held<kHeldMax>(held, [&]<int kHeld>() {
      assay::launch(layer_norm_forward<T, kHeld>, thread_for_each(call, tokens * kWarp), call.in<T>("x"),
                    call.in<T>("gamma"), call.in<T>("beta"), call.out<T>("y"), call.out<float>("mean"),
                    call.out<float>("rstd"), tokens, call.dim("E"), call.real("eps"));
    });
  });
}

const assay::RegisterVariant kVariant({.op = "layer_norm_forward",
                                       .name = "warp_per_row",
                                       .summary = "a warp per token, the row read once and kept in registers",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
