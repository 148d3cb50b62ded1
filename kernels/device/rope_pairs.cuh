// Rotates pairs of lanes of a row by loads and stores of 16 bytes, for both ways of pairing lanes.
#pragma once

#include "kernels/device/vector_load.cuh"

namespace assay::device {

// Rotates the pairs first … first + kWidth - 1 of a row of `dim` lanes by the angles with these cosines and sines.
// Pairs are lanes i and i + dim/2, in two packs, or neighbours 2i and 2i + 1, in one. x and out may be one row: all of
// a pair is read before it is written.
template <class T>
__device__ void turn_pairs(const T* x, T* out, int64_t first, int64_t dim, bool neighbours,
                           const float (&c)[Pack<T>::kWidth], const float (&s)[Pack<T>::kWidth]) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t second_row = neighbours ? 0 : dim / 2, count = neighbours ? dim : dim / 2;
  const int64_t begin = neighbours ? 2 * first : first, second_begin = neighbours ? begin + kWidth : begin;
  const bool aligned = is_pack_aligned(x) && is_pack_aligned(out) && is_pack_aligned(x + second_row);
  Pack<T> packs[2] = {load_pack(x, begin, count, aligned, 0),
                      load_pack(x + second_row, second_begin, count, aligned, 0)};
#pragma unroll
  for (int j = 0; j < kWidth; ++j) {
    T& lane = neighbours ? packs[2 * j / kWidth].values[2 * j % kWidth] : packs[0].values[j];
    T& partner = neighbours ? packs[2 * j / kWidth].values[2 * j % kWidth + 1] : packs[1].values[j];
    const float u = static_cast<float>(lane), v = static_cast<float>(partner);
    lane = static_cast<T>(u * c[j] - v * s[j]);
    partner = static_cast<T>(v * c[j] + u * s[j]);
  }
  store_pack(out, begin, count, aligned, packs[0]);
  store_pack(out + second_row, second_begin, count, aligned, packs[1]);
}

}  // namespace assay::device
