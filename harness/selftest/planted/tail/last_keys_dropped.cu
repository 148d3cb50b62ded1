// EXPECT: MISMATCH NONFINITE. Behind full tiles of 8 keys, the last tile is dropped unless it is full too.
// SMALLEST: B=1 Sq=1 Sk=9 H=1 HK=1 D=1
// TWIN: The last tile of 8 keys is used as far as there are keys.
#include "harness/selftest/attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::AttentionRow;

constexpr int64_t kTile = 8;

__global__ void attention(Attention t) {
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
#if ASSAY_PLANTED
  const int64_t visible = t.a.visible(query.i), tiles = visible < kTile ? 1 : visible / kTile;
#else
  const int64_t visible = t.a.visible(query.i), tiles = (visible + kTile - 1) / kTile;
#endif
  for (int64_t j = 0; j < visible && j < tiles * kTile; ++j) query.add(j, query.score(j));
  query.finish();
}

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "last_keys_dropped" : "last_keys_kept",
                                       .summary = ASSAY_PLANTED ? "leaves out the last partial tile of keys"
                                                                : "uses the last partial tile of keys",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
