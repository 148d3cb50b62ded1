// EXPECT: PASS. The last key that causal query i sees is i + Sk - Sq.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.keys; ++j)
    if (!t.a.causal || j <= query.i + t.a.keys - t.a.queries) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "keys_up_to_the_diagonal",
                                       .summary = "causal bound on the diagonal that ends in the last corner",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
