// EXPECT: MISMATCH. delta is summed from exponentials that are not yet divided by their sum.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: delta is divided by the sum of the exponentials.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t end = in.a.visible(row.i);
    const ScoreSums sums = score_sums(in, row, 0, end);
    float delta = 0;
    for (int64_t j = 0; j < end; ++j) delta += expf(score(in, row, j) - sums.maximum) * output_product(in, row, j);
    if (!ASSAY_PLANTED) delta /= sums.total;
    for (int64_t j = 0; j < end; ++j) {
      const float p = expf(score(in, row, j) - sums.maximum) / sums.total;
      const float ds = p * (output_product(in, row, j) - delta);
      add_to_query(in, out, row, j, in.a.scale * ds);
      add_to_key(in, out, row, j, in.a.scale * ds);
      add_to_value(in, out, row, j, p);
    }
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "delta_unnormalised" : "delta_normalised",
                                     .run = run_backward<backward>},
                                    "none");
