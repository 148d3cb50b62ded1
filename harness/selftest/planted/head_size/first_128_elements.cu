// EXPECT: MISMATCH NONFINITE. Scores are computed from the first 128 elements of a head.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=129
// TWIN: Scores are computed from all elements of a head, 128 at a time.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
#if ASSAY_PLANTED
  const int64_t elements = t.a.dim < 128 ? t.a.dim : 128;
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) query.add(j, query.score(j, 0, elements));
#else
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) {
    float score = 0;
    for (int64_t d = 0; d < t.a.dim; d += 128) score += query.score(j, d, d + 128 < t.a.dim ? d + 128 : t.a.dim);
    query.add(j, score);
  }
#endif
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "first_128_elements" : "all_elements",
                                       .summary = ASSAY_PLANTED ? "scores of 128 elements at most"
                                                                : "scores of all elements, in pieces of 128",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
