// The common part of quantisers of blocks: the scale that follows from a block's extremes, and the code of an element.
//
// Codes are formed with the f32 scale, before it is rounded to f16. A block with an element that is no finite number
// gets a NaN for its scale, so that none of its values passes for a number: fmaxf alone would drop the NaN.
#pragma once

#include <cfloat>

#include "kernels/device/quantised.cuh"

namespace assay::device {

// The elements that a block's scale follows from. `deciding` is the element of the largest size, the positive one of
// two, so that
// it does not depend on the order in which lanes are merged.
struct Extremes {
  float least, largest, deciding;
  bool finite;
};

__device__ inline Extremes extremes_of(float x) { return {x, x, x, fabsf(x) <= FLT_MAX}; }

__device__ inline Extremes merged(const Extremes& a, const Extremes& b) {
  const float size_a = fabsf(a.deciding), size_b = fabsf(b.deciding);
  const bool takes_b = size_b > size_a || (size_b == size_a && b.deciding > a.deciding);
  return {fminf(a.least, b.least), fmaxf(a.largest, b.largest), takes_b ? b.deciding : a.deciding,
          a.finite && b.finite};
}

// d and m as stored, and what elements are multiplied by to become codes.
struct Scale {
  float d, m, inverse;
};

template <class Format>
constexpr bool kIsQ8K = Format::kBytes == Q8_K::kBytes;
template <class Format>
constexpr bool kIsQ80 = Format::kBytes == Q8_0::kBytes;
template <class Format>
constexpr bool kIsSplit = !kIsQ8K<Format> && !kIsQ80<Format>;

template <class Format>
__device__ Scale scale_of(const Extremes& block) {
  Scale scale{};
  if constexpr (kIsQ8K<Format>) {
    if (block.deciding == 0) return scale;
    scale.inverse = -127.0f / block.deciding;
    scale.d = 1.0f / scale.inverse;
    return scale;
  } else if constexpr (kIsQ80<Format>) {
    scale.d = fabsf(block.deciding) / 127.0f;
  } else if constexpr (Format::kHasOffset) {
    scale.d = (block.largest - block.least) / static_cast<float>(Format::kLargest);
    scale.m = block.least;
  } else {
    scale.d = block.deciding / static_cast<float>(-Format::kZero);
  }
  scale.inverse = scale.d == 0 ? 0.0f : 1.0f / scale.d;
  return scale;
}

template <class Format>
__device__ int code_of(float x, const Scale& scale) {
  if constexpr (kIsQ8K<Format>) return min(127, static_cast<int>(rintf(scale.inverse * x)));
  if constexpr (kIsQ80<Format>) return static_cast<int>(roundf(x * scale.inverse));
  if constexpr (kIsSplit<Format>)
    return min(Format::kLargest,
               static_cast<int>((x - scale.m) * scale.inverse + (static_cast<float>(Format::kZero) + 0.5f)));
  return 0;
}

// The code that means 0, for blocks without a number.
template <class Format>
__device__ constexpr int zero_code() {
  if constexpr (kIsSplit<Format>) return Format::kZero;
  return 0;
}

__device__ inline void put_bytes(uint8_t* at, uint32_t bits, int bytes) {
  for (int b = 0; b < bytes; ++b) at[b] = static_cast<uint8_t>(bits >> (8 * b));
}
// Stored by `bits`, the low byte would be wrong: ptxas before 13.1 makes `st.u8` of a register that holds an f16 a
// conversion of its value, whatever the optimisation.
__device__ inline void put_half(uint8_t* at, float value) {
  const uint32_t bits = __half_as_ushort(__float2half(value));
  at[0] = static_cast<uint8_t>(__byte_perm(bits, 0, 0x4440));
  at[1] = static_cast<uint8_t>(bits >> 8);
}

template <class Format>
__device__ void put_scale(uint8_t* block, const Scale& scale, bool finite) {
  const float none = __uint_as_float(0x7fffffff);
  if constexpr (kIsQ8K<Format>) {
    put_bytes(block, __float_as_uint(finite ? scale.d : none), 4);
  } else {
    put_half(block, finite ? scale.d : none);
    if constexpr (kIsSplit<Format>)
      if constexpr (Format::kHasOffset) put_half(block + 2, finite ? scale.m : none);
  }
}

}  // namespace assay::device
