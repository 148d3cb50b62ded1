// EXPECT: MISMATCH PROPERTY. dK is cleared before the kernel adds to it, dV is not.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=1 dkv=accumulate
// TWIN: dK and dV are added to what is there.
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
#if ASSAY_PLANTED
  for_each_key_element(in, [&](int64_t n) { out.dk[n] = 0; });
#endif
  for_each_row(in, out, [&](const Row& row) {
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
                                       .name = ASSAY_PLANTED ? "keys_replaced" : "keys_added",
                                       .summary = ASSAY_PLANTED ? "adds to dV and replaces dK" : "adds to dK and dV",
                                       .dtypes = {assay::DType::f32},
                                       .domains = {{.name = "dkv", .values = {"accumulate"}}},
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
