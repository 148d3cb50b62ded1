// The basis of every instruction of a translated kernel: PTX's types as C++ types, bits that move between registers,
// and the modifiers that decide how an instruction computes.
//
// Translated kernels include these headers (translate.h writes them). A register is a variable of its own type, and
// bits move in and out by as() and set(), never by a conversion of values: a load, a mov or a shuffle must not touch
// the payload of a NaN. Arithmetic that makes a NaN makes the GPU's: 0x7fffffff, 0x7fff, for f64 0xfff8000000000000.
#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/simt/include/ptx/apart.h"
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/small_float_bits.h"

namespace assay::ptx {

// 16-bit floats, and two in one register.
struct f16 {
  using Format = simt::HalfFormat;
  uint16_t bits;
};
struct bf16 {
  using Format = simt::Bfloat16Format;
  uint16_t bits;
};
template <class T>
struct alignas(4) Pair {
  T low, high;
};
using f16x2 = Pair<f16>;
using bf16x2 = Pair<bf16>;

template <class T>
inline constexpr bool is_small = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
inline constexpr bool is_pair = std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>;

template <int bytes>
using Unsigned = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<
        bytes == 2, uint16_t,
        std::conditional_t<bytes == 4, uint32_t, std::conditional_t<bytes == 8, uint64_t, unsigned __int128>>>>;

// The low bits of `from` as a To; zeros where To has more.
template <class To, class From>
ASSAY_SIMT_INLINE To as(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, bool>) {
    return (as<Unsigned<sizeof(From)>>(from) & 1) != 0;
  } else {
    const auto bits = static_cast<Unsigned<sizeof(To)>>(__builtin_bit_cast(Unsigned<sizeof(From)>, from));
    return __builtin_bit_cast(To, bits);
  }
}

// Puts a value into a register. One that has more bits gets the sign of a signed value, else zeros.
template <class Register, class T>
ASSAY_SIMT_INLINE void set(Register& to, const T& value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(Register) > sizeof(T))
    to = as<Register>(static_cast<std::make_signed_t<Unsigned<sizeof(Register)>>>(value));
  else
    to = as<Register>(value);
}

// How an instruction computes, as bits of its template argument.
enum : uint32_t {
  kRn = 0,
  kRz = 1 << 0,
  kRm = 1 << 1,
  kRp = 1 << 2,
  kRni = 1 << 3,
  kRzi = 1 << 4,
  kRmi = 1 << 5,
  kRpi = 1 << 6,
  kRna = 1 << 7,
  kFtz = 1 << 8,
  kSat = 1 << 9,
  kRelu = 1 << 10,
  kNan = 1 << 11,
  kHi = 1 << 12,
  kShiftamt = 1 << 13,
  kWrap = 1 << 14,
};

}  // namespace assay::ptx
