// rope_qk in plain loops: every pair of lanes of a row turns by the angle whose cosine and sine the tables hold.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

// The numbers of a case. Mutants for the sensitivity audit are made by changing one of them.
struct RopeTurn {
  bool neighbours;   // lanes 2i and 2i+1 are a pair, not i and i + D/2
  double sine_sign;  // -1: backward
  int64_t position;  // of token 0: its row of the tables
};

inline RopeTurn rope_turn(const Case& c) {
  return {.neighbours = c.text("pairs") == "neighbours",
          .sine_sign = c.text("direction") == "backward" ? -1.0 : 1.0,
          .position = c.dim("pos_offset")};
}

template <class S>
void rope_qk(ReferenceIo<S>& io, const RopeTurn& turn) {
  const int64_t tokens = io.dim("T"), stride = io.dim("ad"), dim = stride - io.dim("pad"), half = dim / 2;
  const auto &cosines = io.in("cos"), &sines = io.in("sin");  // (max_seq, D/2)
  const Rounding<S> round_cos = io.rounding("cos"), round_sin = io.rounding("sin"),
                    round_product = io.rounding("products");

  const auto turn_rows = [&](const char* from, const char* to, int64_t heads, int64_t slots) {
    const auto& x = io.in(from);  // (heads, slots, ad)
    auto& out = io.out(to);       // (heads, slots, ad)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < tokens; ++t) {
        const int64_t row = (h * slots + t) * stride;
        for (int64_t i = 0; i < half; ++i) {
          const S c = round_cos(cosines(turn.position + t, i));
          const S s = round_sin(sines(turn.position + t, i)) * S(turn.sine_sign);
          const int64_t a = row + (turn.neighbours ? 2 * i : i), b = turn.neighbours ? a + 1 : a + half;
          out[a] = round_product(x[a] * c) - round_product(x[b] * s);
          out[b] = round_product(x[b] * c) + round_product(x[a] * s);
        }
        for (int64_t d = dim; d < stride; ++d) out[row + d] = S(0);
      }
  };
  turn_rows("q", "q_out", io.dim("H"), tokens);
  turn_rows("k", "k_out", io.dim("HK"), io.dim("k_stride"));
}

}  // namespace assay::reference
