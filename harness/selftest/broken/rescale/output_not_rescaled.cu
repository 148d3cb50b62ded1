// EXPECT: MISMATCH NONFINITE. When a key past the first 8 brings a new maximum, the output so far keeps its old scale.
// SMALLEST: B=1 Sq=1 Sk=9 H=1 HK=1
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    const float score = query.score(j), factor = query.raise_maximum(score);
    if (j < 8) query.multiply(factor);
    query.add_value(j, expf(score - query.maximum));
  }
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "output_not_rescaled",
                                       .summary = "does not rescale the output after 8 keys",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
