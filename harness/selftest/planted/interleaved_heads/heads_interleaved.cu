// EXPECT: MISMATCH NONFINITE. Query heads take turns with the key heads instead of sharing them in groups.
// SMALLEST: B=1 Sq=1 Sk=1 H=4 HK=2 D=1
// TWIN: H / HK neighbouring query heads share a key head.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
#if ASSAY_PLANTED
  query.kv_head = query.h % t.a.kv_heads;
#else
  query.kv_head = query.h / (t.a.heads / t.a.kv_heads);
#endif
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "heads_interleaved" : "heads_in_groups",
                                       .summary = ASSAY_PLANTED ? "reads key head h % HK"
                                                                : "reads key head h / (H / HK)",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
