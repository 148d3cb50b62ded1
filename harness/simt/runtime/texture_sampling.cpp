// Address modes, weights and formats.
#include "harness/simt/runtime/texture_sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::simt {
namespace {

constexpr double kFarAway = 0x1p40;  // no coordinate beyond it differs from it

float float_of_half(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

// A channel's bits in memory.
uint32_t channel_bits_at(const std::byte* from, uint8_t bits) {
  uint32_t value = 0;
  std::memcpy(&value, from, bits / 8u);
  return value;
}

int32_t signed_value(uint32_t value, uint8_t bits) { return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits); }

uint32_t bits_of_float(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t channel_value(const Texture& texture, uint32_t value) {
  const Image& image = texture.image;
  const uint8_t bits = image.channel_bits;
  if (image.channels == Channels::floats)
    return bits == 16 ? bits_of_float(float_of_half(static_cast<uint16_t>(value))) : value;
  const bool is_signed = image.channels == Channels::signed_integers;
  if (!gives_floats(texture)) return is_signed ? static_cast<uint32_t>(signed_value(value, bits)) : value;
  if (!is_signed) return bits_of_float(static_cast<float>(static_cast<double>(value) / ((1 << bits) - 1)));
  const double most = (1 << (bits - 1)) - 1;
  return bits_of_float(static_cast<float>(std::max(signed_value(value, bits) / most, -1.0)));
}

}  // namespace

int32_t addressed(int64_t index, uint32_t extent, AddressMode mode) {
  const int64_t n = extent;
  if (index >= 0 && index < n) return static_cast<int32_t>(index);
  switch (mode) {
    case AddressMode::wrap:
      return static_cast<int32_t>((index % n + n) % n);
    case AddressMode::mirror: {
      const int64_t at = (index % (2 * n) + 2 * n) % (2 * n);
      return static_cast<int32_t>(at < n ? at : 2 * n - 1 - at);
    }
    case AddressMode::border:
      return kBorderTexel;
    case AddressMode::clamp:
      break;
  }
  return static_cast<int32_t>(index < 0 ? 0 : n - 1);
}

Taps taps_of(float coordinate, uint32_t extent, AddressMode mode, bool is_linear, bool is_normalised) {
  if (!is_normalised && (mode == AddressMode::wrap || mode == AddressMode::mirror)) mode = AddressMode::clamp;
  double at = std::isnan(coordinate) ? 0 : double{coordinate};
  if (std::isinf(at) && mode == AddressMode::wrap) at = 0;
  at = std::clamp(is_normalised ? at * extent : at, -kFarAway, kFarAway);
  if (!is_linear) {
    const int32_t only = addressed(static_cast<int64_t>(std::floor(at)), extent, mode);
    return {only, only, 0};
  }
  const auto fixed = static_cast<int64_t>(std::llround((at - 0.5) * 256));
  const int64_t first = fixed >> 8;
  return {addressed(first, extent, mode), addressed(first + 1, extent, mode), static_cast<uint32_t>(fixed & 255)};
}

CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  CubePlace place;
  float m = az, s = z < 0 ? -x : x, t = -y;
  place.face = z < 0 ? 5 : 4;
  if (ax > ay && ax > az) {
    place.face = x < 0 ? 1 : 0;
    m = ax, s = x < 0 ? z : -z;
  } else if (ay > az) {
    place.face = y < 0 ? 3 : 2;
    m = ay, s = x, t = y < 0 ? -z : z;
  }
  place.x = (s / m + 1) / 2, place.y = (t / m + 1) / 2;
  return place;
}

bool gives_floats(const Texture& texture) {
  return texture.image.channels == Channels::floats || (texture.reads_normalised && texture.image.channel_bits < 32);
}

std::array<uint32_t, 4> texel_value(const Texture& texture, const std::byte* texel) {
  const Image& image = texture.image;
  std::array<uint32_t, 4> value = {0, 0, 0, gives_floats(texture) ? bits_of_float(1) : 1};
  for (size_t i = 0; i < image.channel_count; ++i)
    value.at(i) = channel_value(texture, channel_bits_at(texel + i * image.channel_bits / 8, image.channel_bits));
  return value;
}

}  // namespace assay::simt
