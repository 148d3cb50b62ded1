// A function for each type.
#include "harness/simt/runtime/matrix_elements.h"

#include <array>
#include <cstring>

#include "harness/simt/include/simt/small_float_bits.h"

namespace assay::simt {
namespace {

template <class T>
T stored(const void* registers, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(registers) + i * sizeof(T), sizeof(T));
  return value;
}

// Four at a time, which every processor of interest has.
using FourFloats = float __attribute__((vector_size(16)));
using FourWords = uint32_t __attribute__((vector_size(16)));
using FourHalves = uint16_t __attribute__((vector_size(8)));

// As bits of a float the magnitude is too small by the difference of the exponents' biases; this holds for subnormals
// too, and leaves infinities to be given the largest exponent. A NaN becomes a quiet one.
FourWords widen_f16(FourWords half) {
  const FourWords magnitude = half & 0x7fff;
  const auto scaled = reinterpret_cast<FourWords>(reinterpret_cast<FourFloats>(magnitude << 13) * 0x1p112f);
  const auto infinite = reinterpret_cast<FourWords>(magnitude >= 0x7c00);
  const auto nan = reinterpret_cast<FourWords>(magnitude > 0x7c00);
  return scaled | (infinite & 0x7f800000) | (nan & 0x7fffffff) | (half & 0x8000) << 16;
}
FourWords widen_bf16(FourWords half) { return half << 16; }

template <FourWords (*widen)(FourWords), class Format>
void read_halves(float* to, const void* registers, size_t count) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    FourHalves halves;
    std::memcpy(&halves, static_cast<const char*>(registers) + 2 * i, sizeof halves);
    const FourWords bits = widen(__builtin_convertvector(halves, FourWords));
    std::memcpy(to + i, &bits, sizeof bits);
  }
  for (; i < count; ++i) to[i] = Format::widen(stored<uint16_t>(registers, i));
}

// A register has the 19 bits of a tf32 on top.
void read_tf32(float* to, const void* registers, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = __uint_as_float(stored<uint32_t>(registers, i) & ~0x1fffu);
}
void read_f32(float* to, const void* registers, size_t count) { std::memcpy(to, registers, count * sizeof(float)); }

template <class T>
void read_integers(float* to, const void* registers, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = stored<T>(registers, i);
}

// Exponent of four bits with bias 7, no infinity; all ones is NaN.
float e4m3(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  if ((bits & 0x7f) == 0x7f) return __uint_as_float(0x7fffffff);
  const float size = exponent == 0 ? __builtin_ldexpf(static_cast<float>(fraction), -9)
                                   : __builtin_ldexpf(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -size : size;
}
// It is the upper half of an f16.
float e5m2(uint32_t bits) { return HalfFormat::widen(static_cast<uint16_t>(bits << 8)); }

template <float (*value)(uint32_t)>
void read_bytes(float* to, const void* registers, size_t count) {
  static const auto kValues = [] {
    std::array<float, 256> values{};
    for (uint32_t bits = 0; bits < 256; ++bits) values[bits] = value(bits);
    return values;
  }();
  for (size_t i = 0; i < count; ++i) to[i] = kValues[stored<uint8_t>(registers, i)];
}

// Several to a byte, from the low bits on.
template <size_t bits, uint32_t flipped>
void read_parts(float* to, const void* registers, size_t count) {
  constexpr size_t kOfByte = 8 / bits;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t part = stored<uint8_t>(registers, i / kOfByte) >> i % kOfByte * bits & ((1u << bits) - 1);
    to[i] = static_cast<float>(static_cast<int>(part ^ flipped) - static_cast<int>(flipped));
  }
}

}  // namespace

ReadElements reader_of(Element number) {
  switch (number) {
    case Element::f16:
      return read_halves<widen_f16, HalfFormat>;
    case Element::bf16:
      return read_halves<widen_bf16, Bfloat16Format>;
    case Element::tf32:
      return read_tf32;
    case Element::f32:
      return read_f32;
    case Element::e4m3:
      return read_bytes<e4m3>;
    case Element::e5m2:
      return read_bytes<e5m2>;
    case Element::u8:
      return read_integers<uint8_t>;
    case Element::s8:
      return read_integers<int8_t>;
    case Element::u4:
      return read_parts<4, 0>;
    case Element::s4:
      return read_parts<4, 8>;
    case Element::b1:
      return read_parts<1, 0>;
    case Element::f64:
    case Element::s32:
      return nullptr;
  }
  return nullptr;
}

}  // namespace assay::simt
