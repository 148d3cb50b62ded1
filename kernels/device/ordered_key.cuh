// Numbers as unsigned integers in the same order, for selection by digits or by bits.
//
// A larger number has a larger key, +0 and -0 have one key, and so have all NaN, above every number.
#pragma once

#include <cstdint>

namespace assay::device {

__device__ inline unsigned raw_bits(float x) { return __float_as_uint(x); }
__device__ inline unsigned raw_bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
__device__ inline unsigned raw_bits(__half x) { return __half_as_ushort(x); }
__device__ inline void set_raw_bits(float& x, unsigned bits) { x = __uint_as_float(bits); }
__device__ inline void set_raw_bits(__nv_bfloat16& x, unsigned bits) {
  x = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
__device__ inline void set_raw_bits(__half& x, unsigned bits) {
  x = __ushort_as_half(static_cast<unsigned short>(bits));
}

template <class T>
constexpr int kKeyBits = 8 * static_cast<int>(sizeof(T));

template <class T>
constexpr unsigned kSignBit = 1u << (kKeyBits<T> - 1);
template <class T>
constexpr unsigned kAllBits = 2 * (kSignBit<T> - 1) + 1;

template <class T>
__device__ unsigned ordered_key(T x) {
  const float value = static_cast<float>(x);
  if (isnan(value)) return kAllBits<T>;
  if (value == 0) return kSignBit<T>;
  const unsigned bits = raw_bits(x);
  return bits & kSignBit<T> ? ~bits & kAllBits<T> : bits | kSignBit<T>;
}

// A number with this key.
template <class T>
__device__ T number_of_key(unsigned key) {
  T number;
  set_raw_bits(number, key & kSignBit<T> ? key ^ kSignBit<T> : ~key & kAllBits<T>);
  return number;
}

// The bits that an index below `count` takes.
__host__ __device__ inline int index_bits(int64_t count) {
  int bits = 0;
  while ((int64_t{1} << bits) < count) ++bits;
  return bits;
}

// The key above the index counted from the end: of equal numbers the one with the lower index is the larger, and no two
// elements of a row are equal. It has kKeyBits<T> + index_bits(count) bits.
template <class T>
__device__ uint64_t distinct_key(T x, int64_t index, int64_t count, int bits_of_index) {
  return uint64_t{ordered_key(x)} << bits_of_index | static_cast<uint64_t>(count - 1 - index);
}

}  // namespace assay::device
