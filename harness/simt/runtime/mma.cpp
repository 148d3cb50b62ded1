// The matrix products of mma.sync: D += A B on the fragments of a warp.
//
// Fragments become plain matrices, these are multiplied, and D goes back to its lanes. The product of two f16, bf16 or
// tf32 numbers is exact in f32 (unless it leaves the range); products are added to D one by one, in ascending k, each
// sum rounded to nearest. A GPU adds several products at a time, in an order and with a precision that NVIDIA does not
// document, so its bits differ. Layouts: PTX ISA, "Matrix Fragments for mma.m16n8k16" and "… mma.m16n8k8".
#include <bit>
#include <cstddef>
#include <cstring>

#include "harness/simt/include/simt/matrix_calls.h"
#include "harness/simt/runtime/matrix_sums.h"

namespace assay::simt {
namespace {

constexpr size_t kM = 16, kN = 8;

// Four at a time, which every processor of interest has; more lanes need no other code, but a build for them.
using Floats = float __attribute__((vector_size(16)));
using Words = uint32_t __attribute__((vector_size(16)));
using Halves = uint16_t __attribute__((vector_size(8)));

// The f32 bits of four numbers, each the low half of a word.
struct F16 {
  static Words widen(Words half) {
    const Words magnitude = half & 0x7fff;
    // As bits of a float the magnitude is too small by the difference of the exponents' biases; this holds for
    // subnormals too, and leaves infinities and NaNs to be given the largest exponent.
    const auto scaled = reinterpret_cast<Words>(reinterpret_cast<Floats>(magnitude << 13) * 0x1p112f);
    const auto special = reinterpret_cast<Words>(magnitude >= 0x7c00);
    return scaled | (special & 0x7f800000) | (half & 0x8000) << 16;
  }
};
struct Bf16 {
  static Words widen(Words half) { return half << 16; }
};

template <class Vector, class T>
Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <class Format, size_t rows, size_t cols>
void widen(float (&to)[rows][cols], const uint16_t (&from)[rows][cols]) {
  for (size_t row = 0; row < rows; ++row)
    for (size_t col = 0; col < cols; col += 4) {
      const Words bits = Format::widen(__builtin_convertvector(load<Halves>(&from[row][col]), Words));
      std::memcpy(&to[row][col], &bits, sizeof bits);
    }
}

// Lane l of a fragment is thread l % 4 of group l / 4, in the manual's words.
template <size_t K>
void multiply_add(const WarpCall* const (&lanes)[32], const float (&a)[kM][K], const float (&b)[K][kN]) {
  float d[kM][kN];
  const auto each_pair_of_d = [&](auto visit) {
    for (size_t lane = 0; lane < 32; ++lane) {
      float* const mine = static_cast<const MmaCall*>(lanes[lane])->d;
      for (size_t i = 0; i < 2; ++i) visit(&mine[2 * i], &d[lane / 4 + 8 * i][lane % 4 * 2]);
    }
  };
  each_pair_of_d([](const float* mine, float* whole) { std::memcpy(whole, mine, 2 * sizeof(float)); });
  add_products(&d[0][0], &a[0][0], &b[0][0], kM, kN, K);
  each_pair_of_d([](float* mine, const float* whole) { std::memcpy(mine, whole, 2 * sizeof(float)); });
}

// Registers hold two neighbours along k. B is gathered by columns, for these to be neighbours in memory.
template <class Format, size_t K>
void of_halves(const WarpCall* const (&lanes)[32]) {
  uint16_t a_bits[kM][K], b_bits[kN][K];
  for (size_t lane = 0; lane < 32; ++lane) {
    const auto& call = *static_cast<const MmaCall*>(lanes[lane]);
    const size_t group = lane / 4, k = lane % 4 * 2;
    for (size_t i = 0; i < K / 4; ++i) std::memcpy(&a_bits[group + i % 2 * 8][k + i / 2 * 8], &call.a[i], 4);
    for (size_t i = 0; i < K / 8; ++i) std::memcpy(&b_bits[group][k + i * 8], &call.b[i], 4);
  }
  float a[kM][K], b_columns[kN][K], b[K][kN];
  widen<Format>(a, a_bits);
  widen<Format>(b_columns, b_bits);
  for (size_t k = 0; k < K; ++k)
    for (size_t n = 0; n < kN; ++n) b[k][n] = b_columns[n][k];
  multiply_add(lanes, a, b);
}

// Takes of each register the 19 bits that tf32 has.
void of_tf32(const WarpCall* const (&lanes)[32]) {
  constexpr size_t kK = 8;
  float a[kM][kK], b[kK][kN];
  for (size_t lane = 0; lane < 32; ++lane) {
    const auto& call = *static_cast<const MmaCall*>(lanes[lane]);
    const size_t group = lane / 4, k = lane % 4;
    const auto value = [](uint32_t bits) { return std::bit_cast<float>(bits & ~0x1fffu); };
    for (size_t i = 0; i < 4; ++i) a[group + i % 2 * 8][k + i / 2 * 4] = value(call.a[i]);
    for (size_t i = 0; i < 2; ++i) b[k + i * 4][group] = value(call.b[i]);
  }
  multiply_add(lanes, a, b);
}

}  // namespace

const WarpFunction kMmaM16n8k16F16{"mma.m16n8k16.f16", of_halves<F16, 16>};
const WarpFunction kMmaM16n8k16Bf16{"mma.m16n8k16.bf16", of_halves<Bf16, 16>};
const WarpFunction kMmaM16n8k8F16{"mma.m16n8k8.f16", of_halves<F16, 8>};
const WarpFunction kMmaM16n8k8Bf16{"mma.m16n8k8.bf16", of_halves<Bf16, 8>};
const WarpFunction kMmaM16n8k8Tf32{"mma.m16n8k8.tf32", of_tf32};

}  // namespace assay::simt
