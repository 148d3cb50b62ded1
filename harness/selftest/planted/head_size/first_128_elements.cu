// EXPECT: MISMATCH NONFINITE. Scores are computed from the first 128 elements of a head.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=129
// TWIN: Scores are computed from all elements of a head, 128 at a time.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t elements = ASSAY_PLANTED && t.a.dim > 128 ? 128 : t.a.dim;
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    float score = 0;
    for (int64_t d = 0; d < elements; d += 128) score += query.score(j, d, d + 128 < elements ? d + 128 : elements);
    query.add(j, score);
  }
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "first_128_elements" : "all_elements",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
