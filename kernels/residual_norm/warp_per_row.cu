// One warp per token, its row in registers, in packs of 16 bytes; what is normalised is r as it is stored.
//
// Against block_per_row: no barrier and no shared memory, and several rows share a block. A row is held in the case's
// dtype, which is what makes it fit: eight packs per lane, 1024 elements in f32 and 2048 in the 16-bit types.
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;  // leaves each thread 128 registers
constexpr int kHeldMax = 8;     // packs of a row per lane

// a, b, r, y: (tokens, dim)  gamma, beta: (dim)  mean, rstd: (tokens) f32. beta and mean are for layer alone. r may be
// a, and y may be b. kHeld · 32 packs cover a row.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    residual_norm(const T* a, const T* b, const T* gamma, const T* beta, T* r, T* y, float* mean, float* rstd,
                  int64_t tokens, int64_t dim, float eps, bool by_rms) {
  constexpr int kWidth = Pack<T>::kWidth;
  const unsigned lane = threadIdx.x % kWarp;
  const int64_t t = blockIdx.x * int64_t{blockDim.x / kWarp} + threadIdx.x / kWarp;
  if (t >= tokens) return;  // the whole warp
  a += t * dim, b += t * dim, r += t * dim, y += t * dim;
  const auto first = [&](int i) { return (lane + i * int64_t{kWarp}) * kWidth; };

  Pack<T> held[kHeld];
  float sum = 0;
  for (int i = 0; i < kHeld; ++i) {
    held[i] = load_pack(a, first(i), dim, is_pack_aligned(a), 0);
    const Pack<T> branch = load_pack(b, first(i), dim, is_pack_aligned(b), 0);
    for (int j = 0; j < kWidth; ++j) {
      held[i].values[j] = static_cast<T>(static_cast<float>(held[i].values[j]) + static_cast<float>(branch.values[j]));
      sum += static_cast<float>(held[i].values[j]);
    }
    store_pack(r, first(i), dim, is_pack_aligned(r), held[i]);
  }
  const float centre = by_rms ? 0 : warp_reduce(sum, Add()) / static_cast<float>(dim);

  float squares = 0;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth && first(i) + j < dim; ++j) {
      const float deviation = static_cast<float>(held[i].values[j]) - centre;
      squares += deviation * deviation;
    }
  const float inv = 1 / sqrtf(warp_reduce(squares, Add()) / static_cast<float>(dim) + eps);
  if (lane == 0) {
    if (!by_rms) mean[t] = centre;
    rstd[t] = inv;
  }

  for (int i = 0; i < kHeld; ++i) {
    const Pack<T> factor = load_pack(gamma, first(i), dim, is_pack_aligned(gamma), 0);
    const Pack<T> shift = load_pack(beta, first(i), by_rms ? 0 : dim, is_pack_aligned(beta), 0);
    for (int j = 0; j < kWidth; ++j) {
      const float scaled =
          (static_cast<float>(held[i].values[j]) - centre) * inv * static_cast<float>(factor.values[j]);
      held[i].values[j] = static_cast<T>(scaled + static_cast<float>(shift.values[j]));
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
  const int64_t tokens = call.dim("T"), dim = call.dim("E");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    by_held<kHeldMax>(held_packs(call.dtype(), dim, kWarp), [&]<int kHeld>() {
      assay::launch(residual_norm<T, kHeld>, thread_for_each(call, tokens * kWarp), call.in<T>("a"), call.in<T>("b"),
                    call.in<T>("gamma"), call.in<T>("beta"), call.out<T>("r"), call.out<T>("y"),
                    call.out<float>("mean"), call.out<float>("rstd"), tokens, dim, call.real("eps"),
                    call.text("norm") == "rms");
    });
  });
}

const assay::RegisterVariant kVariant({.op = "residual_norm",
                                       .name = "warp_per_row",
                                       .summary = "a warp per token, the row of r kept in registers as it is stored",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .rounds = {"r"},
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
