// EXPECT: NONFINITE MISMATCH PROPERTY. Weights are exponentials of the scores themselves, without their maximum.
// SMALLEST: B=1 Sq=1 fill=exponents
// TWIN: Weights count from the largest score so far.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  if (ASSAY_PLANTED && t.a.visible(query.i) > 0) query.maximum = 0;
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    const float score = query.score(j);
    if (!ASSAY_PLANTED) query.multiply(query.raise_maximum(score));
    query.add_value(j, expf(score - query.maximum));
  }
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "attention_without_maximum" : "attention_with_maximum",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
