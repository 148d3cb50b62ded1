// EXPECT: PASS. Hidden keys have score -inf and add exp(-inf) = 0, where all are hidden too.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i);
  for (int64_t j = 0; j < visible; ++j) query.raise_maximum(query.score(j));
  const float shift = query.maximum == -INFINITY ? 0 : query.maximum;
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

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "lse_is_minus_infinity",
                                       .summary = "the log-sum-exp of a query that sees no key is -inf",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
