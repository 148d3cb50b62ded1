// Integer arithmetic, logic and shifts. Signed sums and products wrap: they are formed unsigned.
#pragma once

#include "harness/simt/include/ptx/bits.h"
#include "harness/simt/include/simt/integer.h"

namespace assay::ptx {

template <class T>
using UnsignedOf = Unsigned<sizeof(T)>;
template <class T>
using Twice =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
template <class T>
inline constexpr bool is_whole = std::is_integral_v<T>;

template <class T>
inline constexpr T kLargest = static_cast<T>(std::is_signed_v<T> ? UnsignedOf<T>(~UnsignedOf<T>{0}) >> 1
                                                                 : ~UnsignedOf<T>{0});
template <class T>
inline constexpr T kSmallest = static_cast<T>(-kLargest<T> - 1);

// .sat exists for s32: the nearest value that the type has.
template <class T, uint32_t m>
inline T in_range(__int128 exact) {
  if constexpr ((m & kSat) != 0) {
    if (exact > kLargest<T>) return kLargest<T>;
    if (exact < kSmallest<T>) return kSmallest<T>;
  }
  return static_cast<T>(exact);
}

template <class T, uint32_t m>
requires is_whole<T>
inline T add(T a, T b) {
  if constexpr ((m & kSat) != 0) return in_range<T, m>(static_cast<__int128>(a) + b);
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T, uint32_t m>
requires is_whole<T>
inline T sub(T a, T b) {
  if constexpr ((m & kSat) != 0) return in_range<T, m>(static_cast<__int128>(a) - b);
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
// .lo, or .hi with kHi
template <class T, uint32_t m>
requires is_whole<T>
inline T mul(T a, T b) {
  if constexpr ((m & kHi) != 0) return static_cast<T>((Twice<T>{a} * Twice<T>{b}) >> (8 * sizeof(T)));
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class T, uint32_t m>
inline Twice<T> mul_wide(T a, T b) {
  return Twice<T>{a} * Twice<T>{b};
}
template <class T, uint32_t m>
requires is_whole<T>
inline T mad(T a, T b, T c) { return add<T, m & kSat>(mul<T, m & kHi>(a, b), c); }
template <class T, uint32_t m>
inline Twice<T> mad_wide(T a, T b, Twice<T> c) {
  using U = Unsigned<sizeof(Twice<T>)>;
  return static_cast<Twice<T>>(static_cast<U>(mul_wide<T, 0>(a, b)) + static_cast<U>(c));
}
template <class T, uint32_t m>
inline T mul24(T a, T b) {
  const int64_t x =
      std::is_signed_v<T> ? int64_t{static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8} : a & 0xffffff;
  const int64_t y =
      std::is_signed_v<T> ? int64_t{static_cast<int32_t>(static_cast<uint32_t>(b) << 8) >> 8} : b & 0xffffff;
  return static_cast<T>((x * y) >> ((m & kHi) != 0 ? 16 : 0));
}
template <class T, uint32_t m>
inline T mad24(T a, T b, T c) {
  return add<T, m & kSat>(mul24<T, m & kHi>(a, b), c);
}
template <class T, uint32_t m>
inline T sad(T a, T b, T c) {
  const auto x = static_cast<UnsignedOf<T>>(a), y = static_cast<UnsignedOf<T>>(b);
  return static_cast<T>(static_cast<UnsignedOf<T>>(a < b ? y - x : x - y) + static_cast<UnsignedOf<T>>(c));
}

// The carry of .cc; a subtraction's is its borrow.
template <class T, uint32_t m>
inline T add_cc(T a, T b, bool& carry) {
  const __int128 sum = __int128{static_cast<UnsignedOf<T>>(a)} + static_cast<UnsignedOf<T>>(b);
  carry = (sum >> (8 * sizeof(T))) != 0;
  return static_cast<T>(sum);
}
template <class T, uint32_t m>
inline T addc(T a, T b, bool& carry) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b) + carry);
}
template <class T, uint32_t m>
inline T addc_cc(T a, T b, bool& carry) {
  const __int128 sum = __int128{static_cast<UnsignedOf<T>>(a)} + static_cast<UnsignedOf<T>>(b) + carry;
  carry = (sum >> (8 * sizeof(T))) != 0;
  return static_cast<T>(sum);
}
template <class T, uint32_t m>
inline T sub_cc(T a, T b, bool& borrow) {
  borrow = static_cast<UnsignedOf<T>>(a) < static_cast<UnsignedOf<T>>(b);
  return sub<T, 0>(a, b);
}
template <class T, uint32_t m>
inline T subc(T a, T b, bool& borrow) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b) - borrow);
}
template <class T, uint32_t m>
inline T subc_cc(T a, T b, bool& borrow) {
  const __int128 rest = __int128{static_cast<UnsignedOf<T>>(a)} - static_cast<UnsignedOf<T>>(b) - borrow;
  borrow = rest < 0;
  return static_cast<T>(rest);
}
template <class T, uint32_t m>
inline T mad_cc(T a, T b, T c, bool& carry) {
  return add_cc<T, 0>(mul<T, m & kHi>(a, b), c, carry);
}
template <class T, uint32_t m>
inline T madc(T a, T b, T c, bool& carry) {
  return addc<T, 0>(mul<T, m & kHi>(a, b), c, carry);
}
template <class T, uint32_t m>
inline T madc_cc(T a, T b, T c, bool& carry) {
  return addc_cc<T, 0>(mul<T, m & kHi>(a, b), c, carry);
}

// Division by zero has no defined result in PTX; GPUs give all ones, and the remainder is the dividend.
template <class T, uint32_t m>
requires is_whole<T>
inline T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return sub<T, 0>(0, a);
  return static_cast<T>(a / b);
}
template <class T, uint32_t m>
inline T rem(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T, uint32_t m>
requires is_whole<T>
inline T abs(T a) { return a < 0 ? sub<T, 0>(0, a) : a; }
template <class T, uint32_t m>
requires is_whole<T>
inline T neg(T a) { return sub<T, 0>(0, a); }
template <class T, uint32_t m>
requires is_whole<T>
inline T min(T a, T b) {
  const T least = b < a ? b : a;
  return (m & kRelu) != 0 && least < 0 ? T{0} : least;
}
template <class T, uint32_t m>
requires is_whole<T>
inline T max(T a, T b) {
  const T most = a < b ? b : a;
  return (m & kRelu) != 0 && most < 0 ? T{0} : most;
}

template <class T, uint32_t m>
inline T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T, uint32_t m>
inline T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T, uint32_t m>
inline T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T, uint32_t m>
inline T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>) return !a;
  return static_cast<T>(~a);
}
template <class T, uint32_t m>
inline T cnot(T a) {
  return a == 0;
}
// Shifts by the width or more leave nothing, or the sign.
template <class T, uint32_t m>
inline T shl(T a, uint32_t by) {
  return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<UnsignedOf<T>>(a) << by);
}
template <class T, uint32_t m>
inline T shr(T a, uint32_t by) {
  constexpr uint32_t kLast = 8 * sizeof(T) - 1;
  if (by > kLast) return std::is_signed_v<T> ? static_cast<T>(a >> kLast) : T{0};
  return static_cast<T>(a >> by);
}
template <class T, uint32_t m>
inline T shf_l(T low, T high, uint32_t by) {
  return (m & kWrap) != 0 ? __funnelshift_l(low, high, by) : __funnelshift_lc(low, high, by);
}
template <class T, uint32_t m>
inline T shf_r(T low, T high, uint32_t by) {
  return (m & kWrap) != 0 ? __funnelshift_r(low, high, by) : __funnelshift_rc(low, high, by);
}
// Bit i of the result is bit (a_i b_i c_i) of the table.
template <class T, uint32_t m>
inline T lop3(T a, T b, T c, uint32_t table) {
  T result = 0;
  for (uint32_t i = 0; i < 8; ++i)
    if ((table >> i & 1) != 0) result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return result;
}
template <class T, uint32_t m>
inline T prmt(T a, T b, T selector) {
  return __byte_perm(a, b, selector);
}

template <class T, uint32_t m>
inline uint32_t popc(T a) {
  return static_cast<uint32_t>(__builtin_popcountll(a));
}
template <class T, uint32_t m>
inline uint32_t clz(T a) {
  constexpr auto kBits = static_cast<uint32_t>(8 * sizeof(T));
  return a == 0 ? kBits : static_cast<uint32_t>(__builtin_clzll(a)) - (64 - kBits);
}
template <class T, uint32_t m>
inline T brev(T a) {
  if constexpr (sizeof(T) == 8) return __brevll(a);
  return static_cast<T>(__brev(static_cast<uint32_t>(a)));
}
// The place of the highest bit that is not the sign; with .shiftamt how far it is from the top.
template <class T, uint32_t m>
inline uint32_t bfind(T a) {
  const auto bits = static_cast<UnsignedOf<T>>(a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const uint32_t zeros = clz<UnsignedOf<T>, 0>(bits);
  return (m & kShiftamt) != 0 ? zeros : static_cast<uint32_t>(8 * sizeof(T)) - 1 - zeros;
}
// A field of `length` bits from `begin`; a signed one is extended by its last bit, or a's where it goes beyond.
template <class T, uint32_t m>
inline T bfe(T a, uint32_t begin, uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  begin &= 0xff, length &= 0xff;
  if (length == 0) return 0;
  if (begin >= kBits) return std::is_signed_v<T> && a < 0 ? static_cast<T>(~T{0}) : T{0};
  const uint32_t kept = length < kBits - begin ? length : kBits - begin;
  const auto top = static_cast<T>(static_cast<UnsignedOf<T>>(a) << (kBits - begin - kept));
  return static_cast<T>(top >> (kBits - kept));  // fills with the sign if T has one
}
// b with the low bits of a in the field.
template <class T, uint32_t m>
inline T bfi(T a, T b, uint32_t begin, uint32_t length) {
  begin &= 0xff, length &= 0xff;
  const T mask = length >= 8 * sizeof(T) ? ~T{0} : (T{1} << length) - 1;
  if (begin >= 8 * sizeof(T)) return b;
  return (b & ~(mask << begin)) | ((a & mask) << begin);
}

// The low `bits` bits of a, with their sign or zeros above. Past the width .clamp takes all of a, .wrap its remainder.
template <class T, uint32_t m>
inline T szext(T a, uint32_t bits) {
  if ((m & kWrap) != 0) bits &= 31;
  if (bits == 0) return 0;
  if (bits >= 32) return a;
  return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << (32 - bits)) >> (32 - bits));
}
// `width` ones from bit `begin` on.
template <class T, uint32_t m>
inline uint32_t bmsk(uint32_t begin, uint32_t width) {
  if ((m & kWrap) != 0) begin &= 31, width &= 31;
  const uint64_t ones = width >= 32 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  return begin >= 32 ? 0 : static_cast<uint32_t>(ones << begin);
}
// Two products of 16-bit halves of a with bytes of b, the lower two of them or the upper.
template <class A, class B, bool upper>
inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c) {
  using Half = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  for (uint32_t i = 0; i < 2; ++i)
    c += static_cast<uint32_t>(static_cast<Half>(a >> 16 * i)) *
         static_cast<uint32_t>(static_cast<B>(b >> 8 * (i + (upper ? 2 : 0))));
  return c;
}
template <class A, class B>
inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  return simt::dot_bytes<A, B>(a, b, c);
}

}  // namespace assay::ptx
