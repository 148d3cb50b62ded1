// EXPECT: MISMATCH NONFINITE. Query heads take turns with the key heads instead of sharing them in groups.
// SMALLEST: B=1 Sq=1 Sk=1 H=4 HK=2 D=1
// TWIN: H / HK neighbouring query heads share a key head.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  query.kv_head = ASSAY_PLANTED ? query.h % t.a.kv_heads : query.h / (t.a.heads / t.a.kv_heads);
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) query.add(j, query.score(j));
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "heads_interleaved" : "heads_in_groups",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
