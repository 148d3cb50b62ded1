// attention_score in plain loops: every score times the scale, minus infinity (or what the kernel declares as its
// mask) where the key comes after the query.
//
// scale is the f32 number nearest to its decimal text, because that is what a kernel is handed.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void attention_score(ReferenceIo<S>& io) {
  const int64_t heads = io.dim("H"), tokens = io.dim("S");
  const S scale = S(static_cast<double>(static_cast<float>(io.real("scale"))));
  const bool causal = io.text("causal") == "1";
  const S masked_score = S(Tracked::mask_value);
  const auto& scores = io.in("scores");  // (H, S, S)
  auto& masked = io.out("masked");       // (H, S, S)

  for (int64_t h = 0; h < heads; ++h)
    for (int64_t row = 0; row < tokens; ++row)
      for (int64_t col = 0; col < tokens; ++col) {
        const int64_t i = (h * tokens + row) * tokens + col;
        masked[i] = causal && col > row ? masked_score : scores[i] * scale;
      }
}

}  // namespace assay::reference
