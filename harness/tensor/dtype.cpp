// Exact conversions between element bits and double, for any IEEE-like binary format by its two parameters.
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

// In the order of DType.
constexpr std::array kFormats{Format{"f32", 4, 24, -126}, Format{"bf16", 2, 8, -126}, Format{"f16", 2, 11, -14},
                              Format{"u32", 4, 0, 0}, Format{"u8", 1, 0, 0}};

const Format& format(DType dtype) { return kFormats[static_cast<size_t>(dtype)]; }

uint32_t exponent_mask(const Format& f) {
  const int exponent_bits = static_cast<int>(f.bytes) * 8 - f.significand_bits;
  return ((uint32_t{1} << exponent_bits) - 1) << (f.significand_bits - 1);
}

uint32_t sign_bit(const Format& f) { return uint32_t{1} << (f.bytes * 8 - 1); }

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
  if (!is_float(dtype)) return std::numeric_limits<uint32_t>::max() >> (32 - 8 * f.bytes);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - f.significand_bits), 1 - f.min_exponent);
}

double to_double(DType dtype, uint32_t bits) {
  const Format& f = format(dtype);
  if (!is_float(dtype)) return bits;
  if (dtype == DType::f32) return std::bit_cast<float>(bits);
  const uint32_t fraction_mask = (uint32_t{1} << (f.significand_bits - 1)) - 1;
  const uint32_t fraction = bits & fraction_mask;
  const uint32_t exponent = (bits & exponent_mask(f)) >> (f.significand_bits - 1);
  double magnitude;
  if ((bits & exponent_mask(f)) == exponent_mask(f)) {
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, f.min_exponent - f.significand_bits + 1);
  } else {
    magnitude = std::ldexp(fraction | (fraction_mask + 1),
                           static_cast<int>(exponent) - 1 + f.min_exponent - f.significand_bits + 1);
  }
  return bits & sign_bit(f) ? -magnitude : magnitude;
}

uint32_t from_double(DType dtype, double value) {
  const Format& f = format(dtype);
  if (!is_float(dtype)) {
    if (!(value > 0)) return 0;
    return static_cast<uint32_t>(std::nearbyint(std::min(value, max_finite(dtype))));
  }
  const uint32_t sign = std::signbit(value) ? sign_bit(f) : 0;
  if (std::isnan(value)) {  // the leading payload bits are kept, so that the GPU's own NaN (all ones) can be written
    const uint64_t payload = (std::bit_cast<uint64_t>(value) << 12) >> (64 - (f.significand_bits - 1));
    return sign | exponent_mask(f) | (uint32_t{1} << (f.significand_bits - 2)) | static_cast<uint32_t>(payload);
  }
  const double spacing = ulp(dtype, value);
  const double units = std::nearbyint(std::fabs(value) / spacing);  // exact: a power of two; ties to even
  if (std::isinf(value) || units * spacing > max_finite(dtype)) return sign | exponent_mask(f);
  // `units` counts spacings from zero within this binade; carries into the exponent come out right by addition.
  const int exponent = std::max(std::ilogb(spacing) + f.significand_bits - 1, f.min_exponent);
  const auto binade = static_cast<uint32_t>(exponent - f.min_exponent);
  return sign | ((binade << (f.significand_bits - 1)) + static_cast<uint32_t>(units));
}

double ulp(DType dtype, double value) {
  const Format& f = format(dtype);
  const int exponent = value == 0 || !std::isfinite(value) ? f.min_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, f.min_exponent) - f.significand_bits + 1);
}

}  // namespace assay
