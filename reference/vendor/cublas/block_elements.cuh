// Elements of blocks of the quantised formats as numbers, for products by libraries that take numbers.
//
// Layouts as reference/block_format.h has them: little endian, and a block may begin at any even address.
#pragma once

#include <cstring>
#include <string>

#include "reference/vendor/cublas/elementwise.cuh"

namespace assay::vendor {

__device__ inline float f16_at(const uint8_t* at) {
  return __half2float(__ushort_as_half(static_cast<unsigned short>(at[0] | at[1] << 8)));
}
__device__ inline int signed_byte(uint8_t byte) { return static_cast<int8_t>(byte); }

// Element i of 32 whose codes lie in the halves of 16 bytes: the first 16 in the low ones.
__device__ inline int nibble(const uint8_t* codes, int i) { return i < 16 ? codes[i] & 15 : codes[i - 16] >> 4; }
__device__ inline int fifth_bit(const uint8_t* bits, int i) { return (bits[i / 8] >> i % 8 & 1) << 4; }

struct Q4_0 {
  static constexpr int kElements = 32, kBytes = 18;
  __device__ static float at(const uint8_t* b, int i) { return f16_at(b) * static_cast<float>(nibble(b + 2, i) - 8); }
};
struct Q4_1 {
  static constexpr int kElements = 32, kBytes = 20;
  __device__ static float at(const uint8_t* b, int i) {
    return f16_at(b) * static_cast<float>(nibble(b + 4, i)) + f16_at(b + 2);
  }
};
struct Q5_0 {
  static constexpr int kElements = 32, kBytes = 22;
  __device__ static float at(const uint8_t* b, int i) {
    return f16_at(b) * static_cast<float>((nibble(b + 6, i) | fifth_bit(b + 2, i)) - 16);
  }
};
struct Q5_1 {
  static constexpr int kElements = 32, kBytes = 24;
  __device__ static float at(const uint8_t* b, int i) {
    return f16_at(b) * static_cast<float>(nibble(b + 8, i) | fifth_bit(b + 4, i)) + f16_at(b + 2);
  }
};
struct Q8_0 {
  static constexpr int kElements = 32, kBytes = 34;
  __device__ static float at(const uint8_t* b, int i) { return f16_at(b) * static_cast<float>(signed_byte(b[2 + i])); }
};

// Groups of 32 have a scale and a minimum of 6 bits each, packed into 12 bytes.
struct Q4_K {
  static constexpr int kElements = 256, kBytes = 144;
  __device__ static float at(const uint8_t* b, int i) {
    const uint8_t* const packed = b + 4;
    const int group = i / 32, code = b[16 + i / 64 * 32 + i % 32] >> (group % 2 * 4) & 15;
    const bool whole = group < 4;
    const int scale = whole ? packed[group] & 63 : (packed[group + 4] & 15) | packed[group - 4] >> 6 << 4;
    const int minimum = whole ? packed[group + 4] & 63 : packed[group + 4] >> 4 | packed[group] >> 6 << 4;
    return f16_at(b) * static_cast<float>(scale) * static_cast<float>(code) -
           f16_at(b + 2) * static_cast<float>(minimum);
  }
};

// Halves of 128 elements, in each four quarters that share bytes of the upper two bits.
struct Q6_K {
  static constexpr int kElements = 256, kBytes = 210;
  __device__ static float at(const uint8_t* b, int i) {
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    const int low = b[half * 64 + quarter % 2 * 32 + lane] >> (quarter / 2 * 4) & 15;
    const int high = b[128 + half * 32 + lane] >> (quarter * 2) & 3;
    const int scale = signed_byte(b[192 + half * 8 + quarter * 2 + lane / 16]);
    return f16_at(b + 208) * static_cast<float>(scale) * static_cast<float>((low | high << 4) - 32);
  }
};
struct Q8_K {
  static constexpr int kElements = 256, kBytes = 292;
  __device__ static float at(const uint8_t* b, int i) {
    float d;
    memcpy(&d, b, sizeof d);
    return d * static_cast<float>(signed_byte(b[4 + i]));
  }
};

struct F32 {
  static constexpr int kElements = 1, kBytes = 4;
  __device__ static float at(const uint8_t* b, int) { return *reinterpret_cast<const float*>(b); }
};

// A float whose upper 19 bits are a number's nearest tf32, so that tensor cores do not cut any.
struct Tf32 {
  float value;
  __device__ explicit Tf32(float x) : value(x) {
    if (isfinite(x)) value = __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
  }
};

template <class Format, class To>
__global__ void decode(const uint8_t* blocks, To* to, int64_t count) {
  for (int64_t i = first_element(); i < count; i += element_step())
    to[i] = To(Format::at(blocks + i / Format::kElements * Format::kBytes, static_cast<int>(i % Format::kElements)));
}

// to (count) = the elements of blocks of `format`, "q4_0" for instance; those of "f32" are floats.
template <class To>
void launch_decode(const std::string& format, const uint8_t* blocks, To* to, int64_t count) {
  const auto as = [&]<class Format>(const char* name) {
    if (format == name) launch(decode<Format, To>, over_elements(count), blocks, to, count);
  };
  as.template operator()<F32>("f32");
  as.template operator()<Q4_0>("q4_0");
  as.template operator()<Q4_1>("q4_1");
  as.template operator()<Q5_0>("q5_0");
  as.template operator()<Q5_1>("q5_1");
  as.template operator()<Q8_0>("q8_0");
  as.template operator()<Q4_K>("q4_k");
  as.template operator()<Q6_K>("q6_k");
  as.template operator()<Q8_K>("q8_k");
}

}  // namespace assay::vendor
