// Instructions on the four bytes of a word.
#pragma once

#include "harness/simt/include/ptx/bits.h"
#include "harness/simt/include/simt/fiber.h"

namespace assay::ptx {

// The distance of bytes, which A and B, integers of 8 bits, give a sign or not; together with c, or each in its place.
template <class A, class B, bool adds>
ASSAY_SIMT_INLINE uint32_t vabsdiff4(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t sum = c, apart = 0;
  for (uint32_t at = 0; at < 32; at += 8) {
    const int32_t difference =
        static_cast<int32_t>(static_cast<A>(a >> at)) - static_cast<int32_t>(static_cast<B>(b >> at));
    const auto distance = static_cast<uint32_t>(difference < 0 ? -difference : difference);
    sum += distance;
    apart |= (distance & 0xff) << at;
  }
  return adds ? sum : apart;
}

}  // namespace assay::ptx
