// EXPECT: PASS. dK and dV are added to what is there.
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
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
                                       .name = "keys_added",
                                       .summary = "adds to dK and dV",
                                       .dtypes = {assay::DType::f32},
                                       .domains = {{.name = "dkv", .values = {"accumulate"}}},
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
