// Reading and writing rows in packs of 16 bytes, the widest access that a thread can make.
//
// A row of an odd length starts where no 16-byte access may go, and its last pack is cut off. Both cases are handled
// element by element with the same assignment of elements to threads, so that the bits of a row's result do not depend
// on where the row lies in memory.
#pragma once

#include <cstdint>

namespace assay::device {

template <class T>
struct alignas(16) Pack {
  static constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  T values[kWidth];
};

template <class T>
__host__ __device__ bool is_pack_aligned(const T* row) {
  return reinterpret_cast<uintptr_t>(row) % sizeof(Pack<T>) == 0;
}

// Packs that cover `count` elements; the last may be cut off.
template <class T>
__host__ __device__ int64_t pack_count(int64_t count) {
  return (count + Pack<T>::kWidth - 1) / Pack<T>::kWidth;
}

// Elements row[first], row[first + 1], …; `padding` for those from `count` on. aligned: is_pack_aligned(row), and
// `first` is a multiple of the width.
template <class T>
__device__ Pack<T> load_pack(const T* row, int64_t first, int64_t count, bool aligned, float padding) {
  if (aligned && first + Pack<T>::kWidth <= count) return *reinterpret_cast<const Pack<T>*>(row + first);
  Pack<T> pack;
  for (int i = 0; i < Pack<T>::kWidth; ++i)
    pack.values[i] = first + i < count ? row[first + i] : static_cast<T>(padding);
  return pack;
}

// Writes the elements of `pack` that lie before `count`.
template <class T>
__device__ void store_pack(T* row, int64_t first, int64_t count, bool aligned, const Pack<T>& pack) {
  if (aligned && first + Pack<T>::kWidth <= count) {
    *reinterpret_cast<Pack<T>*>(row + first) = pack;
    return;
  }
  for (int i = 0; i < Pack<T>::kWidth; ++i)
    if (first + i < count) row[first + i] = pack.values[i];
}

}  // namespace assay::device
