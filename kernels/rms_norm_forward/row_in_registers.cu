// One block per token with the token's row in registers between the two passes, in packs of 16 bytes.
//
// Against block_per_row: x is read from memory once, and the sum of squares takes two barriers. The price is three
// compiled kernels per dtype, and a longest row: four packs per thread.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/held_row.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 1024;
constexpr int kHeldMax = 4;  // packs of a row per thread

// x, y: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x) f32. kHeld · blockDim.x packs cover a row and its padding.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    rms_norm_forward(const T* x, const T* gamma, T* y, float* rstd, int64_t dim, int64_t stride, float eps) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ float scratch[kBlockMax / kWarp];
  const T* x_row = x + blockIdx.x * stride;
  T* y_row = y + blockIdx.x * stride;
  const bool x_aligned = is_pack_aligned(x_row), y_aligned = is_pack_aligned(y_row);
  const bool gamma_aligned = is_pack_aligned(gamma);
  const auto first = [](int i) { return (threadIdx.x + i * int64_t{blockDim.x}) * kWidth; };

  Pack<T> held[kHeld];
  for (int i = 0; i < kHeld; ++i) held[i] = load_pack(x_row, first(i), dim, x_aligned, 0);

  float squares = 0;
  for (int i = 0; i < kHeld; ++i)
    for (int j = 0; j < kWidth; ++j) {
      const float x_d = static_cast<float>(held[i].values[j]);
      squares += x_d * x_d;
    }
  squares = block_reduce_by_warps(squares, scratch, Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;

  for (int i = 0; i < kHeld; ++i) {
    const Pack<T> factor = load_pack(gamma, first(i), dim, gamma_aligned, 0);
    for (int j = 0; j < kWidth; ++j) {
      // Not 0 · inv · 0 in the padding: a NaN of the row is in inv.
      const float y_d = static_cast<float>(held[i].values[j]) * inv * static_cast<float>(factor.values[j]);
      held[i].values[j] = static_cast<T>(first(i) + j < dim ? y_d : 0.0f);
    }
    store_pack(y_row, first(i), stride, y_aligned, held[i]);
  }
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("T") > INT32_MAX) return "a block per token, and a grid has at most 2^31 - 1 blocks";
  if (held_packs(c.dtype, c.dim("aE"), *c.block) > kHeldMax)
    return "a row does not fit into a block's registers: at most four packs of 16 bytes per thread";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE");
  if (tokens == 0) return;
  const int held = held_packs(call.dtype(), stride, static_cast<int>(call.block()));
  assay::by_dtype(call, [&]<class T>() {
    by_held<kHeldMax>(held, [&]<int kHeld>() {
      assay::launch(rms_norm_forward<T, kHeld>, block_for_each(call, tokens), call.in<T>("x"), call.in<T>("gamma"),
                    call.out<T>("y"), call.out<float>("rstd"), stride - call.dim("pad"), stride, call.real("eps"));
    });
  });
}

const assay::RegisterVariant kVariant({.op = "rms_norm_forward",
                                       .name = "row_in_registers",
                                       .summary = "a block per token, the row read once and kept in registers",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
