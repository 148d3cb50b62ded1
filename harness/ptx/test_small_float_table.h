// All values of the 16-bit floats, in which rounding is a search; for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/simt/include/ptx/bits.h"

namespace assay::ptx {

using Exact = __float128;

// All finite values of a 16-bit float, with their bits: rounding is a search in here.
template <class T>
struct Table {
  struct Entry {
    double value;
    uint16_t bits;
  };
  std::vector<Entry> all;
  double beyond;  // the first value that does not exist, which rounds to infinity

  explicit Table(double beyond_) : beyond(beyond_) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = value_of(static_cast<uint16_t>(bits));
      if (std::isfinite(value) && bits != 0x8000) all.push_back({value, static_cast<uint16_t>(bits)});
    }
    std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.value < b.value; });
  }
  static double value_of(uint16_t bits) {
    const int fraction_bits = std::is_same_v<T, f16> ? 10 : 7, bias = std::is_same_v<T, f16> ? 15 : 127;
    const int exponent = (bits & 0x7fff) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 2 * bias + 1) return fraction == 0 ? sign * INFINITY : NAN;
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  }
  // Bits of `x` rounded to nearest even; `sign_of_zero` decides about what is 0.
  uint16_t nearest(Exact x, bool sign_of_zero) const {
    if (x != x) return 0x7fff;
    const uint16_t infinity = std::is_same_v<T, f16> ? 0x7c00 : 0x7f80;
    const double last = all.back().value, limit = last + (beyond - last) / 2;
    if (x >= limit) return infinity;
    if (x <= -limit) return static_cast<uint16_t>(infinity | 0x8000);
    if (x == 0) return sign_of_zero ? 0x8000 : 0;
    auto above = std::lower_bound(all.begin(), all.end(), x, [](const Entry& e, Exact v) { return e.value < v; });
    if (above == all.end()) --above;
    if (above->value == x || above == all.begin()) return signed_zero(above->bits, x);
    const auto below = above - 1;
    const Exact up = above->value - x, down = x - below->value;
    const bool take_above = up < down || (up == down && (above->bits & 1) == 0);
    return signed_zero(take_above ? above->bits : below->bits, x);
  }
  static uint16_t signed_zero(uint16_t bits, Exact x) { return bits == 0 && x < 0 ? 0x8000 : bits; }
};

template <class T>
inline const Table<T>& table() {
  static const Table<T> kTable(std::is_same_v<T, f16> ? 65536.0 : std::ldexp(1.0, 128));
  return kTable;
}

template <class T>
inline std::vector<uint16_t> edges() {
  std::vector<uint16_t> bits = {0, 1, 2, 0x03ff, 0x0400, 0x007f, 0x0080, 0x3c00, 0x3f80, 0x3c01, 0x7bff, 0x7f7f};
  bits.insert(bits.end(), {0x7c00, 0x7f80, 0x7e00, 0x7fff, 0x4248, 0x3555, 0x0201});
  const size_t count = bits.size();
  for (size_t i = 0; i < count; ++i) bits.push_back(static_cast<uint16_t>(bits[i] | 0x8000));
  return bits;
}

}  // namespace assay::ptx
