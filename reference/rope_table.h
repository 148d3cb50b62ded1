// rope_table in plain loops: the cosine and the sine of every position's angle for every frequency.
//
// The angle is a number of the contract, not an intermediate result: the f32 position over the factor, one division in
// f32, times the f32 frequency, rounded to f32, for every scalar.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

inline float rope_angle(int64_t position, float factor, double inv_freq) {
  const float scaled = static_cast<float>(position) / factor;
  return scaled * static_cast<float>(inv_freq);
}

template <class S>
void rope_table(ReferenceIo<S>& io) {
  const int64_t positions = io.dim("max_seq"), half = io.dim("D") / 2;
  const auto factor = static_cast<float>(io.real("factor"));
  const auto& inv_freq = io.in("inv_freq");  // (D/2)
  auto& cosines = io.out("cos");             // (max_seq, D/2)
  auto& sines = io.out("sin");               // (max_seq, D/2)

  for (int64_t t = 0; t < positions; ++t)
    for (int64_t i = 0; i < half; ++i) {
      const float angle = rope_angle(t, factor, plain(inv_freq[i]));
      cosines(t, i) = cos(S(angle));
      sines(t, i) = sin(S(angle));
    }
}

}  // namespace assay::reference
