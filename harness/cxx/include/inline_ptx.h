// Operands of inline PTX: as the bits that an instruction takes, and back. What is there for the text's own functions
// (../inline_ptx.h) stands behind InlinePtxStandsHere.
#pragma once

#include <type_traits>

#include "harness/simt/include/ptx/all.h"

namespace assay::cxx {

// A whole number is converted, a pointer is its address, and all else goes as its bits.
template <class Bits, class T>
ASSAY_SIMT_INLINE Bits inline_ptx_bits(const T& value) {
  if constexpr (std::is_pointer_v<T> || std::is_array_v<T>) {
    return static_cast<Bits>(reinterpret_cast<uint64_t>(&value[0]));
  } else if constexpr ((std::is_integral_v<T> || std::is_enum_v<T>)&&std::is_integral_v<Bits>) {
    return static_cast<Bits>(value);
  } else if constexpr (std::is_same_v<T, Bits>) {
    return value;
  } else {
    static_assert(sizeof(T) == sizeof(Bits), "an operand of inline PTX is of another size than its constraint says");
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
  }
}
template <class T, class Bits>
ASSAY_SIMT_INLINE void inline_ptx_put(T& to, Bits bits) {
  if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(bits);
  } else if constexpr (std::is_arithmetic_v<T> && std::is_integral_v<T> == std::is_integral_v<Bits>) {
    to = static_cast<T>(bits);
  } else {
    static_assert(sizeof(T) == sizeof(Bits), "an operand of inline PTX is of another size than its constraint says");
    __builtin_memcpy(&to, &bits, sizeof bits);
  }
}

}  // namespace assay::cxx
