// EXPECT: PASS. Probabilities are normalised over all keys that the query sees.
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t end = in.a.visible(row.i);
    const ScoreSums sums = score_sums(in, row, 0, end);
    const auto probability = [&](int64_t j) { return expf(score(in, row, j) - sums.maximum) / sums.total; };
    float delta = 0;
    for (int64_t j = 0; j < end; ++j) delta += probability(j) * output_product(in, row, j);
    for (int64_t j = 0; j < end; ++j) {
      const float p = probability(j), ds = p * (output_product(in, row, j) - delta);
      add_to_query(in, out, row, j, in.a.scale * ds);
      add_to_key(in, out, row, j, in.a.scale * ds);
      add_to_value(in, out, row, j, p);
    }
  });
}

void run(assay::Call& call) { assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call)); }

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "gradients_row_normalised",
                                       .summary = "normalises over the whole row",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unless_nothing,
                                       .adjust = take_nothing,
                                       .run = run});

}  // namespace
