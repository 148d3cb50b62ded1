// EXPECT: NONFINITE. Hidden keys add exp(-inf) = 0 to the sum, but where all are hidden it is exp(-inf - -inf) = NaN.
// SMALLEST: B=1 Sq=2 Sk=1 H=1 HK=1 D=1 causal=1
// TWIN: Hidden keys have score -inf and add exp(-inf) = 0, where all are hidden too.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i);
  for (int64_t j = 0; j < visible; ++j) query.raise_maximum(query.score(j));
  const float shift = !ASSAY_PLANTED && query.maximum == -INFINITY ? 0 : query.maximum;
  for (int64_t j = 0; j < t.a.keys; ++j) {
    const float weight = expf((j < visible ? query.score(j) : -INFINITY) - shift);
    if (j < visible)
      query.add_value(j, weight);
    else
      query.total += weight;
  }
  if (visible > 0) query.multiply(1 / query.total);
  t.lse[row] = query.maximum + logf(query.total);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "lse_of_nothing" : "lse_is_minus_infinity",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
