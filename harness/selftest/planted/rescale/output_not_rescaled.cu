// EXPECT: MISMATCH NONFINITE. When a key after the first brings a new maximum, the output so far keeps its old scale.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: Every new maximum rescales the sum and the output so far.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    const float score = query.score(j), factor = query.raise_maximum(score);
    if (!ASSAY_PLANTED || j < 1) query.multiply(factor);
    query.add_value(j, expf(score - query.maximum));
  }
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "output_not_rescaled" : "output_rescaled",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
