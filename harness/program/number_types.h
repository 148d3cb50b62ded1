// The types of numbers that matrices of CUDA's libraries have, and what one is as a number that the host computes with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/simt/include/simt/small_float_bits.h"

namespace assay::program {

// The values are those of cudaDataType.
enum class Number : int { f32 = 0, f64 = 1, f16 = 2, i8 = 3, i32 = 10, bf16 = 14 };

// Bytes of one; 0 for a type that is not among them.
constexpr size_t bytes_of(Number type) {
  switch (type) {
    case Number::f32:
    case Number::i32:
      return 4;
    case Number::f64:
      return 8;
    case Number::f16:
    case Number::bf16:
      return 2;
    case Number::i8:
      return 1;
  }
  return 0;
}

// How numbers of a type lie in memory, and their conversions; from float and to f16 and bf16 rounded to nearest.
template <class T>
struct PlainNumber {
  using Stored = T;
  template <class To>
  static To load(Stored stored) {
    return static_cast<To>(stored);
  }
  template <class From>
  static Stored store(From value) {
    return static_cast<Stored>(value);
  }
};
template <class Format>
struct SmallFloat {
  using Stored = uint16_t;
  template <class To>
  static To load(Stored stored) {
    return static_cast<To>(Format::widen(stored));
  }
  template <class From>
  static Stored store(From value) {
    if constexpr (sizeof(From) > sizeof(float))
      return Format::narrow(simt::to_float_odd(static_cast<double>(value)));
    else
      return Format::narrow(static_cast<float>(value));
  }
};

// Calls body(PlainNumber<…>() or SmallFloat<…>()), whichever the type is.
template <class Body>
auto with_type(Number type, const Body& body) {
  switch (type) {
    case Number::f64:
      return body(PlainNumber<double>());
    case Number::f16:
      return body(SmallFloat<simt::HalfFormat>());
    case Number::bf16:
      return body(SmallFloat<simt::Bfloat16Format>());
    case Number::i8:
      return body(PlainNumber<int8_t>());
    case Number::i32:
      return body(PlainNumber<int32_t>());
    case Number::f32:
      break;
  }
  return body(PlainNumber<float>());
}

// The element at an index, and what it becomes.
template <class To>
To load(Number type, const void* begin, int64_t index) {
  return with_type(type, [&](auto number) {
    using Each = decltype(number);
    return Each::template load<To>(static_cast<const typename Each::Stored*>(begin)[index]);
  });
}
template <class From>
void store(Number type, void* begin, int64_t index, From value) {
  with_type(type, [&](auto number) {
    using Each = decltype(number);
    static_cast<typename Each::Stored*>(begin)[index] = Each::store(value);
  });
}

}  // namespace assay::program
