// One thread per token and pack of frequencies: their sines and cosines stay in registers while it walks over the
// heads.
//
// Against elementwise: a sine is computed once for a token instead of once for each head, and x moves in packs of 16
// bytes. The price is that heads come one after another, so that a single token keeps D/2 over a pack's width threads
// busy; heads that do not start at a multiple of 16 bytes are moved element by element.
#include "kernels/device/grid.cuh"
#include "kernels/device/rope_pairs.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;  // leaves each thread 128 registers; packs and tables take up to 64

// x, out: (tokens, heads, 2 half)  inv_freq: (half) f32  sign: 1 turns forward, -1 backward
template <class T>
__global__ void __launch_bounds__(kBlockMax)
    rope(const T* x, const float* inv_freq, T* out, int64_t tokens, int64_t heads, int64_t half, int64_t offset,
         float sign, bool neighbours) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t packs = pack_count<T>(half), step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * packs; i += step) {
    const int64_t token = i / packs, d = i % packs * kWidth;
    const float position = static_cast<float>(token + offset);
    float s[kWidth], c[kWidth];
    for (int j = 0; j < kWidth; ++j) {
      sincosf(d + j < half ? position * inv_freq[d + j] : 0, &s[j], &c[j]);
      s[j] *= sign;
    }

    for (int64_t head = token * heads; head < (token + 1) * heads; ++head)
      turn_pairs(x + head * 2 * half, out + head * 2 * half, d, 2 * half, neighbours, c, s);
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H"), half = call.dim("D") / 2;
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(rope<T>, striding(call, tokens * pack_count<T>(half)), call.in<T>("x"), call.in<float>("inv_freq"),
                  call.out<T>("out"), tokens, heads, half, call.dim("pos_offset"),
                  call.text("direction") == "backward" ? -1.0f : 1.0f, call.text("pairs") == "neighbours");
  });
}

const assay::RegisterVariant kVariant({.op = "rope",
                                       .name = "sines_in_registers",
                                       .summary = "16-byte packs; one sine for all heads of a token",
                                       .blocks = {1, 32, 33, 64, 96, 100, 128, 192, 256, 512},
                                       .any_grid = true,
                                       .domains = {{.name = "pairs", .values = {"half", "neighbours"}},
                                                   {.name = "alias", .values = {"none", "out:x"}}},
                                       .run = run});

}  // namespace
