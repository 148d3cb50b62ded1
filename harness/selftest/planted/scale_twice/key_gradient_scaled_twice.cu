// EXPECT: MISMATCH. dK is multiplied by the scale twice: dS as if it had been scaled for dQ, and again.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: dK is multiplied by the scale once.
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
#if ASSAY_PLANTED
      add_to_key(in, out, row, j, in.a.scale * in.a.scale * w.ds);
#else
      add_to_key(in, out, row, j, in.a.scale * w.ds);
#endif
      add_to_value(in, out, row, j, w.p);
    }
  });
}

void run(assay::Call& call) { assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call)); }

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = ASSAY_PLANTED ? "key_gradient_scaled_twice" : "key_gradient_scaled_once",
                                       .summary = ASSAY_PLANTED ? "multiplies dK by the scale twice"
                                                                : "multiplies dK by the scale once",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
