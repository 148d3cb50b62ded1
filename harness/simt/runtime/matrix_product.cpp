// D = A B + C on the fragments of a warp, in any type.
//
// Elements are read as doubles, which hold every type exactly. Products of floats below f64 are exact in f32 and added
// in f32, in ascending k, each sum rounded to nearest, to f16 once at the end; f64 is a chain of fused multiply-adds;
// integers wrap around or saturate at the end. A GPU adds several products at a time, with a precision that NVIDIA does
// not document. Layouts: PTX ISA 9.0, "Matrix Fragments for mma": they follow one rule, which is below.
#include "harness/simt/include/simt/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "harness/simt/include/simt/small_float_bits.h"

namespace assay::simt {
namespace {

constexpr size_t kElementsMax = 32 * 256;  // no fragment has more
// Kernels run on one thread, and their stacks are small.
double a_values[kElementsMax], b_values[kElementsMax], d_values[kElementsMax];

constexpr uint32_t bits_of(Element number) {
  switch (number) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::e4m3:
    case Element::e5m2:
    case Element::u8:
    case Element::s8:
      return 8;
    case Element::u4:
    case Element::s4:
      return 4;
    case Element::b1:
      return 1;
  }
  return 0;
}

template <class T>
T element(const void* registers, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(registers) + i * sizeof(T), sizeof(T));
  return value;
}

// Exponent of four bits with bias 7, no infinity; all ones is NaN.
double e4m3(uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const double size = exponent == 0 ? __builtin_ldexp(fraction, -9) : __builtin_ldexp(8 + fraction, exponent - 10);
  return (bits & 0x80) != 0 ? -size : size;
}

double value_of(Element number, const void* registers, size_t i) {
  const auto part = [&](uint32_t bits) {
    return element<uint8_t>(registers, i * bits / 8) >> i * bits % 8 & ((1u << bits) - 1);
  };
  switch (number) {
    case Element::f16:
      return static_cast<double>(HalfFormat::widen(element<uint16_t>(registers, i)));
    case Element::bf16:
      return static_cast<double>(Bfloat16Format::widen(element<uint16_t>(registers, i)));
    case Element::tf32:
      return static_cast<double>(__uint_as_float(element<uint32_t>(registers, i) & ~0x1fffu));
    case Element::f32:
      return static_cast<double>(element<float>(registers, i));
    case Element::f64:
      return element<double>(registers, i);
    case Element::e4m3:
      return e4m3(element<uint8_t>(registers, i));
    case Element::e5m2:  // the upper half of an f16
      return static_cast<double>(HalfFormat::widen(static_cast<uint16_t>(element<uint8_t>(registers, i) << 8)));
    case Element::u8:
      return element<uint8_t>(registers, i);
    case Element::s8:
      return element<int8_t>(registers, i);
    case Element::s32:
      return element<int32_t>(registers, i);
    case Element::u4:
      return part(4);
    case Element::s4:
      return static_cast<int>(part(4) ^ 8) - 8;
    case Element::b1:
      return part(1);
  }
  return 0;
}

void put(Element number, void* registers, size_t i, double value) {
  const auto store = [&](auto stored) {
    std::memcpy(static_cast<char*>(registers) + i * sizeof stored, &stored, sizeof stored);
  };
  const bool is_nan = value != value;
  if (number == Element::f64) return store(value);
  if (number == Element::s32) return store(static_cast<int32_t>(value));
  if (number == Element::f16) return store(HalfFormat::narrow(static_cast<float>(value)));
  store(is_nan ? __uint_as_float(0x7fffffff) : static_cast<float>(value));
}

// The rule of mma: a register holds neighbours along k, lane l is thread l % 4 of group l / 4, registers go down first
// and then along k.
MatrixElement a_of_mma(const MatrixForm& form, uint32_t lane, uint32_t i) {
  const uint32_t whole = std::max(32u, bits_of(form.a)) / bits_of(form.a), reg = i / whole, down = form.m / 8u;
  return {lane / 4 + reg % down * 8, (lane % 4 + reg / down * 4) * whole + i % whole};
}
MatrixElement b_of_mma(const MatrixForm& form, uint32_t lane, uint32_t i) {
  const uint32_t whole = std::max(32u, bits_of(form.b)) / bits_of(form.b);
  return {(lane % 4 + i / whole * 4) * whole + i % whole, lane / 4};
}

// How many elements of a rows x cols operand of wmma a lane has: f16 has eight registers whatever the shape.
uint32_t operand_count(const MatrixForm& form, Element number, uint32_t size) {
  return form.is_wmma && number == Element::f16 ? 16 : size / 32;
}

void gather(const WarpCall* const (&lanes)[32], const MatrixForm& form) {
  const uint32_t of_a = operand_count(form, form.a, form.m * form.k),
                 of_b = operand_count(form, form.b, form.k * form.n);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const auto& call = *static_cast<const MatrixCall*>(lanes[lane]);
    for (uint32_t i = 0; i < of_a; ++i) {
      const MatrixElement at = form.is_wmma ? wmma_operand(form.m, form.k, lane, i, of_a) : a_of_mma(form, lane, i);
      a_values[at.row * form.k + at.col] = value_of(form.a, call.a, i);
    }
    for (uint32_t i = 0; i < of_b; ++i) {
      const MatrixElement at = form.is_wmma ? wmma_operand(form.k, form.n, lane, i, of_b) : b_of_mma(form, lane, i);
      b_values[at.row * form.n + at.col] = value_of(form.b, call.b, i);
    }
    for (uint32_t i = 0; i < form.m * form.n / 32u; ++i) {
      const MatrixElement at = accumulator_element(form.m, lane, i);
      d_values[at.row * form.n + at.col] = value_of(form.c, call.c, i);
    }
  }
}

// Adds to `sum` the products of a row of A and a column of B.
double sum_of_floats(const MatrixForm& form, const double* a, const double* b, double sum) {
  auto total = static_cast<float>(sum);
  for (size_t k = 0; k < form.k; ++k) total += static_cast<float>(a[k] * b[k * form.n]);
  return static_cast<double>(total);
}
double sum_of_doubles(const MatrixForm& form, const double* a, const double* b, double sum) {
  for (size_t k = 0; k < form.k; ++k) sum = __builtin_fma(a[k], b[k * form.n], sum);
  return sum;
}
double sum_of_integers(const MatrixForm& form, const double* a, const double* b, double sum) {
  for (size_t k = 0; k < form.k; ++k) {  // exact: 53 bits are enough
    const double x = a[k], y = b[k * form.n];
    sum += form.a == Element::b1 && form.is_xor ? x + y - 2 * x * y : x * y;
  }
  if (form.saturates) return std::clamp(sum, -0x1p31, 0x1p31 - 1);
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(sum)));
}

}  // namespace

void run_matrix_product(const WarpCall* const (&lanes)[32]) {
  const auto& form = *static_cast<const MatrixForm*>(lanes[0]->function);
  gather(lanes, form);
  const auto sum = form.d == Element::f64 ? sum_of_doubles : form.d == Element::s32 ? sum_of_integers : sum_of_floats;
  for (size_t row = 0; row < form.m; ++row)
    for (size_t col = 0; col < form.n; ++col) {
      double& d = d_values[row * form.n + col];
      d = sum(form, &a_values[row * form.k], &b_values[col], d);
    }
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < form.m * form.n / 32u; ++i) {
      const MatrixElement at = accumulator_element(form.m, lane, i);
      put(form.d, static_cast<const MatrixCall*>(lanes[lane])->d, i, d_values[at.row * form.n + at.col]);
    }
}

}  // namespace assay::simt
