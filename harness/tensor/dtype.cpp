// Exact conversions between element bits and double, for any IEEE-like binary format by its two parameters.
//
// The bits of a double are shifted rather than its value scaled by std::ldexp: every element of every case is converted
// several times, and by way of libm that took a fifth of the default suite.
#include "harness/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace assay {
namespace {

struct Format {
  std::string_view name;
  size_t bytes;
  int significand_bits;  // 0 for integers
  int min_exponent;
};

// The table is in the order of DType.
constexpr std::array kFormats{Format{"f32", 4, 24, -126}, Format{"bf16", 2, 8, -126}, Format{"f16", 2, 11, -14},
                              Format{"u32", 4, 0, 0},     Format{"u8", 1, 0, 0},      Format{"u64", 8, 0, 0}};

const Format& format(DType dtype) { return kFormats[static_cast<size_t>(dtype)]; }

// A double has 52 bits of fraction, below an exponent that counts from -1023.
constexpr int kFractionBits = 52, kBias = 1023;
constexpr uint64_t kFractionMask = (uint64_t{1} << kFractionBits) - 1;

// Returns std::ilogb for normal numbers; -1023 for zeros and subnormal ones, 1024 for infinity and NaN.
int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<uint64_t>(value) >> kFractionBits & 0x7ff) - kBias;
}

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << kFractionBits);
}

uint32_t exponent_mask(const Format& f) {
  const int exponent_bits = static_cast<int>(f.bytes) * 8 - f.significand_bits;
  return ((uint32_t{1} << exponent_bits) - 1) << (f.significand_bits - 1);
}

uint32_t sign_bit(const Format& f) { return uint32_t{1} << (f.bytes * 8 - 1); }

// The bits of the element nearest to a finite double >= 0: spacings from zero within the double's binade, rounded to
// even; a carry goes into the exponent, and from there into infinity.
uint32_t rounded(const Format& f, double magnitude) {
  const int exponent = exponent_of(magnitude);
  const int below = std::max(0, f.min_exponent - exponent);  // binades below the smallest normal number
  const int dropped = kFractionBits + 1 - f.significand_bits + below;
  if (dropped > kFractionBits + 1) return 0;  // less than half of the smallest subnormal number
  const uint64_t fraction = std::bit_cast<uint64_t>(magnitude) & kFractionMask;
  const uint64_t significand = fraction | (uint64_t{exponent > -kBias} << kFractionBits);
  uint64_t units = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1), half = uint64_t{1} << (dropped - 1);
  units += rest > half || (rest == half && units % 2 == 1);
  const auto binade = static_cast<uint64_t>(std::max(exponent, f.min_exponent) - f.min_exponent);
  return static_cast<uint32_t>(std::min<uint64_t>((binade << (f.significand_bits - 1)) + units, exponent_mask(f)));
}

}  // namespace

std::string_view name(DType dtype) { return format(dtype).name; }

std::optional<DType> dtype_from(std::string_view name) {
  for (size_t i = 0; i < kFormats.size(); ++i)
    if (kFormats[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

size_t size_of(DType dtype) { return format(dtype).bytes; }
bool is_float(DType dtype) { return format(dtype).significand_bits != 0; }
int significand_bits(DType dtype) { return format(dtype).significand_bits; }
int min_exponent(DType dtype) { return format(dtype).min_exponent; }

double max_finite(DType dtype) {
  const Format& f = format(dtype);
  if (!is_float(dtype)) return f.bytes < 8 ? power_of_two(8 * static_cast<int>(f.bytes)) - 1 : 0x1.fffffffffffffp63;
  return (2 - power_of_two(1 - f.significand_bits)) * power_of_two(1 - f.min_exponent);
}

double to_double(DType dtype, uint64_t element_bits) {
  const Format& f = format(dtype);
  if (f.significand_bits == 0) return static_cast<double>(element_bits);
  const auto bits = static_cast<uint32_t>(element_bits);  // no float type has more
  if (dtype == DType::f32) return std::bit_cast<float>(bits);
  const uint64_t fraction = bits & ((uint32_t{1} << (f.significand_bits - 1)) - 1);
  const uint32_t exponent = (bits & exponent_mask(f)) >> (f.significand_bits - 1);
  double magnitude;
  if ((bits & exponent_mask(f)) == exponent_mask(f)) {
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = static_cast<double>(fraction) * power_of_two(f.min_exponent - f.significand_bits + 1);
  } else {
    const auto biased = static_cast<uint64_t>(static_cast<int>(exponent) - 1 + f.min_exponent + kBias);
    magnitude = std::bit_cast<double>(biased << kFractionBits | fraction << (kFractionBits + 1 - f.significand_bits));
  }
  return bits & sign_bit(f) ? -magnitude : magnitude;
}

uint64_t from_double(DType dtype, double value) {
  const Format& f = format(dtype);
  if (f.significand_bits == 0) {
    if (!(value > 0)) return 0;
    const uint64_t largest = ~uint64_t{0} >> (64 - 8 * f.bytes);
    return value < power_of_two(8 * static_cast<int>(f.bytes))
               ? std::min(static_cast<uint64_t>(std::nearbyint(value)), largest)
               : largest;
  }
  const uint32_t sign = std::signbit(value) ? sign_bit(f) : 0;
  if (std::isnan(value)) {  // the leading payload bits are kept, so that the GPU's own NaN (all ones) can be written
    const uint64_t payload = (std::bit_cast<uint64_t>(value) << 12) >> (64 - (f.significand_bits - 1));
    return sign | exponent_mask(f) | (uint32_t{1} << (f.significand_bits - 2)) | static_cast<uint32_t>(payload);
  }
  if (std::isinf(value)) return sign | exponent_mask(f);
  return sign | rounded(f, std::fabs(value));
}

double ulp(DType dtype, double value) {
  const Format& f = format(dtype);
  const int exponent = std::isfinite(value) ? exponent_of(value) : f.min_exponent;
  return power_of_two(std::max(exponent, f.min_exponent) - f.significand_bits + 1);
}

}  // namespace assay
