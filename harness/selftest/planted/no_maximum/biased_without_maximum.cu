// EXPECT: NONFINITE MISMATCH PROPERTY. Weights are exponentials of the biased scores themselves, with no maximum taken.
// SMALLEST: B=1 Sq=1 fill=exponents
// TWIN: Weights count from the largest score so far.
#include "harness/selftest/attention.cuh"
#include "kernels/device/attention_bias.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t, assay::device::AttentionBias<float> bias) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  bool sees_any = false;
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    if (!bias.keeps(query.b, query.h, query.i, j)) continue;
    const float score = query.score(j) + bias.added(query.b, query.h, query.i, j);
    if (ASSAY_PLANTED && !sees_any) query.maximum = 0;
    sees_any = true;
    if (!ASSAY_PLANTED) query.multiply(query.raise_maximum(score));
    query.add_value(j, expf(score - query.maximum));
  }
  query.finish();
}

void run(assay::Call& call) {
  assay::selftest::launch_attention(call, attention, assay::device::attention_bias<float>(call));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_bias_forward",
                              .name = ASSAY_PLANTED ? "biased_without_maximum" : "biased_with_maximum",
                              .blocks = {32, 64},
                              .run = run});
