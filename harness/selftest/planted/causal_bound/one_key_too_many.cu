// EXPECT: NONFINITE MISMATCH. A causal query also sees the key after its last one.
// SMALLEST: B=1 Sq=2 Sk=1 H=1 HK=1 D=1 causal=1
// TWIN: The last key that causal query i sees is i + Sk - Sq.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.keys; ++j)
#if ASSAY_PLANTED
    if (!t.a.causal || j <= query.i + t.a.keys - t.a.queries + 1) query.add(j, query.score(j));
#else
    if (!t.a.causal || j <= query.i + t.a.keys - t.a.queries) query.add(j, query.score(j));
#endif
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "one_key_too_many" : "keys_up_to_the_diagonal",
                                       .summary = ASSAY_PLANTED
                                                      ? "causal bound one too far"
                                                      : "causal bound on the diagonal that ends in the last corner",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
