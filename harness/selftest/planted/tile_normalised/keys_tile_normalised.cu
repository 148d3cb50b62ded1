// EXPECT: MISMATCH NONFINITE. Every tile of 8 keys is divided by its own sum instead of the row's.
// SMALLEST: B=1 Sq=1 Sk=9 H=1 HK=1 D=1
// TWIN: The keys of all tiles of 8 are divided by one sum, their row's.
#include "harness/selftest/attention.cuh"

using assay::selftest::Attention, assay::selftest::AttentionRow;

constexpr int64_t kTile = 8;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  const int64_t visible = t.a.visible(query.i);
  for (int64_t j = 0; j < visible; ++j) {
    query.add(j, query.score(j));
    if (ASSAY_PLANTED && j % kTile == kTile - 1 && j + 1 < visible) {
      query.multiply(1 / query.total);
      query.total = 1;
    }
  }
  query.finish();
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "keys_tile_normalised" : "keys_row_normalised",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
