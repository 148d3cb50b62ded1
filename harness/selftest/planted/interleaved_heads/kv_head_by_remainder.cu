// EXPECT: MISMATCH. Query head h reads key head h % HK instead of h / (H / HK).
// SMALLEST: B=1 Sq=1 Sk=1 H=4 HK=2
// TWIN: Query head h reads key head h / (H / HK).
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
#if ASSAY_PLANTED
  for_each_row(in, out, [&](Row row) {
    row.g = row.h % in.a.kv_heads;
#else
  for_each_row(in, out, [&](const Row& row) {
#endif
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
    }
  });
}

void run(assay::Call& call) { assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call)); }

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = ASSAY_PLANTED ? "kv_head_by_remainder" : "kv_head_by_quotient",
                                       .summary = ASSAY_PLANTED ? "takes key head h % HK"
                                                                : "takes key head h / (H / HK)",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
