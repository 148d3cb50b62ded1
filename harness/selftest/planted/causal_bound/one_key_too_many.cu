// EXPECT: NONFINITE MISMATCH. A causal query also sees the key after its last one.
// SMALLEST: B=1 Sq=2 Sk=1 H=1 HK=1 D=1 causal=1
// TWIN: The last key that causal query i sees is i + Sk - Sq.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.keys; ++j)
    if (!t.a.causal || j <= query.i + t.a.keys - t.a.queries + ASSAY_PLANTED) query.add(j, query.score(j));
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "one_key_too_many" : "keys_up_to_the_diagonal",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
