// The block-quantised formats as kernels read them: one struct for each, with its sizes and the value of an element.
//
// A block begins at any even address, so scales are put together from bytes: a 4-byte load would be misaligned in most
// of them. Values are in f32; only Q4_1, Q5_1, Q4_K (a sum) and Q8_K (a product of 31 bits) round at all.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/case/case.h"

namespace assay::device {

__device__ inline float half_at(const uint8_t* at) {
  return __half2float(__ushort_as_half(static_cast<unsigned short>(at[0] | at[1] << 8)));
}
__device__ inline uint32_t word_at(const uint8_t* at) {
  return at[0] | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24;
}
__device__ inline int signed_at(const uint8_t* at) { return static_cast<int8_t>(*at); }

// Q4_0, Q4_1, Q5_0, Q5_1. Byte j of the codes has element j in its low and element j + 16 in its high half.
template <bool kOffset, bool kFifth>
struct SplitHalves {
  static constexpr int kElements = 32, kFifthsAt = kOffset ? 4 : 2, kCodesAt = kFifthsAt + (kFifth ? 4 : 0);
  static constexpr int kBytes = kCodesAt + 16;
  static constexpr int kZero = kOffset ? 0 : kFifth ? 16 : 8, kLargest = kFifth ? 31 : 15;
  static constexpr bool kHasOffset = kOffset, kHasFifth = kFifth;

  __device__ static float element(const uint8_t* block, int i) {
    const int byte = block[kCodesAt + i % 16];
    int code = i < 16 ? byte & 15 : byte >> 4;
    if constexpr (kFifth) code |= static_cast<int>(word_at(block + kFifthsAt) >> i & 1) << 4;
    const float product = half_at(block) * static_cast<float>(code - kZero);
    if constexpr (kOffset) return product + half_at(block + 2);
    return product;
  }
};

struct Q8_0 {
  static constexpr int kElements = 32, kBytes = 34;
  __device__ static float element(const uint8_t* block, int i) {
    return half_at(block) * static_cast<float>(signed_at(block + 2 + i));
  }
};

// Activations: an f32 scale, the codes, and their sums by sixteens.
struct Q8_K {
  static constexpr int kElements = 256, kBytes = 292;
  __device__ static float element(const uint8_t* block, int i) {
    return __uint_as_float(word_at(block)) * static_cast<float>(signed_at(block + 4 + i));
  }
};

// Eight groups of 32 with a 6-bit scale and minimum each, packed in 12 bytes: the first four groups' low, the last
// four's in nibbles, with their high two bits above the first four's.
struct Q4_K {
  static constexpr int kElements = 256, kBytes = 144;
  __device__ static float element(const uint8_t* block, int i) {
    const int group = i / 32;
    const uint8_t* packed = block + 4;
    int scale = packed[group % 4], minimum = packed[group % 4 + 4];
    if (group < 4) {
      scale &= 63;
      minimum &= 63;
    } else {
      const int low = packed[group + 4];
      scale = (low & 15) | scale >> 6 << 4;
      minimum = low >> 4 | minimum >> 6 << 4;
    }
    const int byte = block[16 + i / 64 * 32 + i % 32];
    const int code = i % 64 < 32 ? byte & 15 : byte >> 4;
    return half_at(block) * static_cast<float>(scale * code) - half_at(block + 2) * static_cast<float>(minimum);
  }
};

// Two halves of 128 elements, whose quarters share bytes: low four bits in `low`, high two in `high`.
struct Q6_K {
  static constexpr int kElements = 256, kBytes = 210;
  __device__ static float element(const uint8_t* block, int i) {
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    const int low = block[half * 64 + quarter % 2 * 32 + lane] >> (quarter < 2 ? 0 : 4) & 15;
    const int high = block[128 + half * 32 + lane] >> (2 * quarter) & 3;
    const int factor = signed_at(block + 192 + i / 16);
    return half_at(block + 208) * static_cast<float>(factor * ((low | high << 4) - 32));
  }
};

// Element k of a row of blocks.
template <class Format>
__device__ float element_in(const uint8_t* row, int64_t k) {
  return Format::element(row + k / Format::kElements * Format::kBytes, static_cast<int>(k % Format::kElements));
}

// Calls f.operator()<Format>() for the format of this name, of those that have a quantiser.
template <class F>
void by_quantised_format(std::string_view name, F f) {
  if (name == "q4_0") return f.template operator()<SplitHalves<false, false>>();
  if (name == "q4_1") return f.template operator()<SplitHalves<true, false>>();
  if (name == "q5_0") return f.template operator()<SplitHalves<false, true>>();
  if (name == "q5_1") return f.template operator()<SplitHalves<true, true>>();
  if (name == "q8_0") return f.template operator()<Q8_0>();
  if (name == "q8_k") return f.template operator()<Q8_K>();
}

// Calls f for the format of this name, among all.
template <class F>
void by_format(std::string_view name, F f) {
  if (name == "q4_k") return f.template operator()<Q4_K>();
  if (name == "q6_k") return f.template operator()<Q6_K>();
  by_quantised_format(name, f);
}

// The offset of block b in a tensor of them, in bytes.
template <class Format>
__host__ __device__ int64_t byte_of(int64_t b) {
  return b * Format::kBytes;
}

// Element [row, byte] of a tensor of blocks whose rows have k elements, as byte_of() finds it.
inline int64_t quantised_element_at(std::string_view format, int64_t k, const std::vector<int64_t>& index) {
  int64_t at = 0;
  by_format(format, [&]<class Format>() {
    at = byte_of<Format>(index[0] * (k / Format::kElements) + index[1] / Format::kBytes) + index[1] % Format::kBytes;
  });
  return at;
}

// Variant::element_at of kernels of quantize and dequantize.
inline std::optional<int64_t> blocks_element_at(const Case& c, std::string_view tensor,
                                                const std::vector<int64_t>& index) {
  if (tensor == "q") return quantised_element_at(c.text("format"), c.dim("K"), index);
  return std::nullopt;
}

}  // namespace assay::device
