// Texels as the registers of tex, suld and sust, for kernels that harness/ptx has translated. The fetches are in
// simt/texture_calls.h.
#pragma once

#include "harness/simt/include/ptx/bits.h"
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/texture_calls.h"

namespace assay::ptx {

// One of the four channels that a fetch gives: float, uint32_t or int32_t.
template <class T>
ASSAY_SIMT_INLINE T channel(simt::Texel all, uint32_t i) {
  return __builtin_bit_cast(T, static_cast<uint32_t>(all >> 32 * i));
}

// Element i of a surface's bytes, and the bytes of some elements.
template <class T>
ASSAY_SIMT_INLINE T element(simt::Texel all, uint32_t i) {
  return static_cast<T>(all >> 8 * sizeof(T) * i);
}
template <class... T>
ASSAY_SIMT_INLINE simt::Texel texel_of(T... elements) {
  simt::Texel all = 0;
  uint32_t at = 0;
  ((all |= static_cast<simt::Texel>(elements) << at, at += 8 * sizeof(T)), ...);
  return all;
}

}  // namespace assay::ptx
