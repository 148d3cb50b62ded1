// EXPECT: MISMATCH. dK is multiplied by the scale twice: dS as if it had been scaled for dQ, and again.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: dK is multiplied by the scale once.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, (ASSAY_PLANTED ? in.a.scale : 1) * in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
    }
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "key_gradient_scaled_twice" : "key_gradient_scaled_once",
                                     .run = run_backward<backward>},
                                    "lse_delta");
