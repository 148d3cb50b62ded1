// EXPECT: MISMATCH NONFINITE. Behind full tiles of 8 keys, the last tile is dropped unless it is full too.
// SMALLEST: B=1 Sq=1 Sk=9 H=1 HK=1 D=1
// TWIN: The last tile of 8 keys is used as far as there are keys.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

constexpr int64_t kTile = 8;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i), whole = visible / kTile;
  const int64_t tiles = ASSAY_PLANTED && whole > 0 ? whole : (visible + kTile - 1) / kTile;
  for (int64_t j = 0; j < visible && j < tiles * kTile; ++j) query.add(j, query.score(j));
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "last_keys_dropped" : "last_keys_kept",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
