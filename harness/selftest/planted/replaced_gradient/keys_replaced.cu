// EXPECT: MISMATCH PROPERTY. dK is cleared before the kernel adds to it, dV is not.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=1 dkv=accumulate
// TWIN: dK and dV are added to what is there.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  if (ASSAY_PLANTED) for_each_key_element(in, [&](int64_t n) { out.dk[n] = 0; });
  for_each_row(in, out, [&](const Row& row) {
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
                                     .name = ASSAY_PLANTED ? "keys_replaced" : "keys_added",
                                     .domains = {{.name = "dkv", .values = {"accumulate"}}},
                                     .run = run_backward<backward>},
                                    "lse_delta");
