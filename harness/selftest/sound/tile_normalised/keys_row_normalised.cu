// EXPECT: PASS. The keys of all tiles of 8 are divided by one sum, their row's.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

constexpr int64_t kTile = 8;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i);
  for (int64_t start = 0; start < visible; start += kTile)
    for (int64_t j = start; j < visible && j < start + kTile; ++j) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "keys_row_normalised",
                                       .summary = "divides the keys by the sum of their row",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
