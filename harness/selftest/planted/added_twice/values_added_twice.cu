// EXPECT: MISMATCH PROPERTY. What dV held is added at the end, and was not taken out before.
// SMALLEST: B=1 Sq=1 Sk=1 H=1 HK=1 D=1 dkv=accumulate
// TWIN: What dV held is added at the end, to sums that begin at 0.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

// before: as dv
__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out, float* before) {
  for_each_key_element(in, [&](int64_t n) { before[n] = out.dv[n]; });
  if (!ASSAY_PLANTED) for_each_key_element(in, [&](int64_t n) { out.dv[n] = 0; });
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
    }
  });
  for_each_key_element(in, [&](int64_t n) { out.dv[n] += before[n]; });
}

int64_t workspace_bytes(const assay::Case& c) {
  return c.dim("B") * c.dim("Sk") * c.dim("HK") * c.dim("D") * int64_t{sizeof(float)};
}

void run(assay::Call& call) {
  assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call), call.workspace<float>());
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "values_added_twice" : "values_added_once",
                                     .domains = {{.name = "dkv", .values = {"accumulate"}}},
                                     .workspace_bytes = workspace_bytes,
                                     .run = run},
                                    "lse_delta");
