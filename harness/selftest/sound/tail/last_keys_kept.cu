// EXPECT: PASS. The last tile of 8 keys is used as far as there are keys.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

constexpr int64_t kTile = 8;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i), tiles = (visible + kTile - 1) / kTile;
  for (int64_t j = 0; j < visible && j < tiles * kTile; ++j) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "last_keys_kept",
                                       .summary = "uses the last partial tile of keys",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
