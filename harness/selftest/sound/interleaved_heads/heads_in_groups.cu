// EXPECT: PASS. H / HK neighbouring query heads share a key head.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  query.kv_head = query.h / (t.a.heads / t.a.kv_heads);
  for (int64_t j = 0; j < t.a.visible(query.i); ++j) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "heads_in_groups",
                                       .summary = "reads key head h / (H / HK)",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
