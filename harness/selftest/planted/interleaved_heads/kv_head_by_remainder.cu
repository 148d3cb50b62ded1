// EXPECT: MISMATCH. Query head h reads key head h % HK instead of h / (H / HK).
// SMALLEST: B=1 Sq=1 Sk=1 H=4 HK=2
// TWIN: Query head h reads key head h / (H / HK).
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](Row row) {
    if (ASSAY_PLANTED) row.g = row.h % in.a.kv_heads;
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
    }
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "kv_head_by_remainder" : "kv_head_by_quotient",
                                     .run = run_backward<backward>},
                                    "lse_delta");
