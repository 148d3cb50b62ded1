// Element types of tensors, and the exact conversions between them and double.
//
// The conversions are our own bit arithmetic, independent of the kernels' half and bfloat16 types, because they are
// what those types are judged by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class DType : uint8_t { f32, bf16, f16, u32, u8, u64 };

std::string_view name(DType dtype);                      // "f32", "bf16", "f16", "u32", "u8", "u64"
std::optional<DType> dtype_from(std::string_view name);  // nothing for an unknown word
size_t size_of(DType dtype);                             // bytes of one element
bool is_float(DType dtype);

// Significand bits including the hidden one (24, 8, 11) and the exponent of the smallest normal number (-126, -126,
// -14), for float types. Together they give the spacing of representable numbers: see ulp().
int significand_bits(DType dtype);
int min_exponent(DType dtype);
double max_finite(DType dtype);

// The value of the element whose bits are `bits` (zero-extended). Exact, except for u64 beyond 2^53: rounded to
// nearest.
double to_double(DType dtype, uint64_t bits);

// Bits of the element nearest to `value`, ties to even. Overflow gives infinity, NaN gives a quiet NaN, integers
// saturate.
uint64_t from_double(DType dtype, double value);

// Spacing between neighbouring elements of a float type around `value`; the subnormal spacing near zero.
double ulp(DType dtype, double value);

}  // namespace assay
