// Another decoder of the block formats, for tests: written from GGML's layouts block by block, in f32, with an f16 of
// its own, by none of what block_format.h does.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "reference/block_format.h"

namespace assay::reference {

inline float half(const uint8_t* p) {
  const int bits = p[0] + 256 * p[1], exponent = bits / 1024 % 32, fraction = bits % 1024;
  const float sign = bits >= 32768 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

inline void decode_4_and_5(const uint8_t* p, bool with_m, bool with_qh, float* y) {
  const float d = half(p), m = with_m ? half(p + 2) : 0;
  const uint8_t* qh = p + (with_m ? 4 : 2);
  const uint8_t* qs = qh + (with_qh ? 4 : 0);
  for (int j = 0; j < 16; ++j) {
    int low = qs[j] % 16, high = qs[j] / 16;
    if (with_qh) {
      low += (qh[j / 8] >> (j % 8)) % 2 * 16;
      high += (qh[2 + j / 8] >> (j % 8)) % 2 * 16;
    }
    const int middle = with_qh ? 16 : 8;
    y[j] = with_m ? d * static_cast<float>(low) + m : d * static_cast<float>(low - middle);
    y[j + 16] = with_m ? d * static_cast<float>(high) + m : d * static_cast<float>(high - middle);
  }
}

inline void decode_q8(const uint8_t* qs, int count, float d, float* y) {
  for (int j = 0; j < count; ++j) y[j] = d * static_cast<float>(qs[j] < 128 ? qs[j] : qs[j] - 256);
}

inline void scale_and_min(int j, const uint8_t* s, int* scale, int* minimum) {
  *scale = j < 4 ? s[j] % 64 : s[j + 4] % 16 + s[j - 4] / 64 * 16;
  *minimum = j < 4 ? s[j + 4] % 64 : s[j + 4] / 16 + s[j] / 64 * 16;
}

inline void decode_q4_k(const uint8_t* p, float* y) {
  const float d = half(p), dmin = half(p + 2);
  const uint8_t* q = p + 16;
  for (int pair = 0; pair < 4; ++pair, q += 32)
    for (int nibble = 0; nibble < 2; ++nibble) {
      int scale = 0, minimum = 0;
      scale_and_min(2 * pair + nibble, p + 4, &scale, &minimum);
      const float step = d * static_cast<float>(scale), floor = dmin * static_cast<float>(minimum);
      for (int l = 0; l < 32; ++l) *y++ = step * static_cast<float>(nibble ? q[l] / 16 : q[l] % 16) - floor;
    }
}

inline void decode_q6_k(const uint8_t* p, float* y) {
  const uint8_t *ql = p, *qh = p + 128, *sc = p + 192;
  const float d = half(p + 208);
  for (int n = 0; n < 2; ++n, ql += 64, qh += 32, sc += 8, y += 128)
    for (int l = 0; l < 32; ++l) {
      const int codes[] = {ql[l] % 16 + qh[l] % 4 * 16, ql[l + 32] % 16 + qh[l] / 4 % 4 * 16,
                           ql[l] / 16 + qh[l] / 16 % 4 * 16, ql[l + 32] / 16 + qh[l] / 64 * 16};
      for (int part = 0; part < 4; ++part) {
        const int scale = sc[l / 16 + 2 * part];
        y[l + 32 * part] =
            d * static_cast<float>(scale < 128 ? scale : scale - 256) * static_cast<float>(codes[part] - 32);
      }
    }
}

inline void decode_other(const BlockFormat& format, const uint8_t* p, float* y) {
  if (format == kQ4_K) return decode_q4_k(p, y);
  if (format == kQ6_K) return decode_q6_k(p, y);
  if (format == kQ8_0) return decode_q8(p + 2, 32, half(p), y);
  if (format != kQ8_K) return decode_4_and_5(p, format.has_offset, format.has_fifth, y);
  float d = 0;
  std::memcpy(&d, p, 4);
  decode_q8(p + 4, 256, d, y);
}

}  // namespace assay::reference
