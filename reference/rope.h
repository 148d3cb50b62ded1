// rope in plain loops: every pair (d, d + D/2) of a head turns by the angle of its token and frequency.
//
// The angle is a number of the contract, not an intermediate result: the f32 position times the f32 frequency, rounded
// to f32, for every scalar. Sine and cosine are those of that number, or, of a kernel that computes its frequencies
// itself, of one near it.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/reference.h"

namespace assay::reference {

// `turn`, the cosine or sine of an angle, with what becomes of it where the frequency is base^(-2i/D) by f32: powf has
// 4 ulp (CUDA C++ Programming Guide), and the exponent's own rounding counts ln(base) times, 13 for a base of 500,000.
template <class S>
S of_own_frequency(S turn, S slope, double angle) {
  if constexpr (std::is_same_v<S, Tracked>) {
    constexpr double kUnits = 8 + 13 + 3;
    const double error = kUnits * Tracked::unit * std::fabs(angle);
    const double moved = std::min(2.0, std::fabs(slope.v) * error + error * error / 2);
    return {turn.v, turn.e, turn.c + moved / kBudgetFactor};
  }
  return turn;
}

template <class S>
void rope(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), heads = io.dim("H"), half = io.dim("D") / 2, offset = io.dim("pos_offset");
  const bool backward = io.text("direction") == "backward", neighbours = io.text("pairs") == "neighbours";
  const auto& x = io.in("x");                // (T, H*D)
  const auto& inv_freq = io.in("inv_freq");  // (D/2)
  auto& out = io.out("out");                 // (T, H*D)
  const Rounding<S> round_cos = io.rounding("cos"), round_sin = io.rounding("sin"),
                    round_product = io.rounding("products");
  const bool makes_frequencies = io.rounding("inv_freq").declared();

  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t d = 0; d < half; ++d) {
      const float angle = static_cast<float>(t + offset) * static_cast<float>(plain(inv_freq[d]));
      S c = cos(S(angle)), sine = sin(S(angle));
      if (makes_frequencies) {
        const S cosine = c;
        c = of_own_frequency(c, sine, angle);
        sine = of_own_frequency(sine, cosine, angle);
      }
      c = round_cos(c), sine = round_sin(sine);
      const S s = backward ? -sine : sine;
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t first = (t * heads + h) * 2 * half + (neighbours ? 2 * d : d);
        const int64_t second = neighbours ? first + 1 : first + half;
        out[first] = round_product(x[first] * c) - round_product(x[second] * s);
        out[second] = round_product(x[second] * c) + round_product(x[first] * s);
      }
    }
}

}  // namespace assay::reference
