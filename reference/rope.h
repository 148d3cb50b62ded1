// rope in plain loops: every pair (d, d + D/2) of a head turns by the angle of its token and frequency.
//
// The angle is a number of the contract, not an intermediate result: the f32 position times the f32 frequency, rounded
// to f32, for every scalar. Sine and cosine are those of that number.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void rope(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), heads = io.dim("H"), half = io.dim("D") / 2, offset = io.dim("pos_offset");
  const bool backward = io.text("direction") == "backward", neighbours = io.text("pairs") == "neighbours";
  const auto& x = io.in("x");                // (T, H*D)
  const auto& inv_freq = io.in("inv_freq");  // (D/2)
  auto& out = io.out("out");                 // (T, H*D)
  const Rounding<S> round_cos = io.rounding("cos"), round_sin = io.rounding("sin"),
                    round_product = io.rounding("products");

  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t d = 0; d < half; ++d) {
      const float angle = static_cast<float>(t + offset) * static_cast<float>(plain(inv_freq[d]));
      const S c = round_cos(cos(S(angle))), sine = round_sin(sin(S(angle))), s = backward ? -sine : sine;
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t first = (t * heads + h) * 2 * half + (neighbours ? 2 * d : d);
        const int64_t second = neighbours ? first + 1 : first + half;
        out[first] = round_product(x[first] * c) - round_product(x[second] * s);
        out[second] = round_product(x[second] * c) + round_product(x[first] * s);
      }
    }
}

}  // namespace assay::reference
