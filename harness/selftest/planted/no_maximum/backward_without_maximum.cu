// EXPECT: NONFINITE MISMATCH PROPERTY. The weights are made anew as quotients of exponentials of the scores themselves.
// SMALLEST: B=1 Sq=1 fill=exponents
// BUGS: 2 because sums that underflow in part leave numbers, and others none
// TWIN: The largest score is taken from all of them first.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t keys = in.a.visible(row.i);
    ScoreSums sums = score_sums(in, row, 0, keys);
    if (ASSAY_PLANTED) {
      sums = {.maximum = 0, .total = 0};
      for (int64_t j = 0; j < keys; ++j) sums.total += expf(score(in, row, j));
    }
    const auto weight = [&](int64_t j) { return expf(score(in, row, j) - sums.maximum) / sums.total; };
    float delta = 0;
    for (int64_t j = 0; j < keys; ++j) delta += weight(j) * output_product(in, row, j);
    for (int64_t j = 0; j < keys; ++j) {
      const float p = weight(j), ds = p * (output_product(in, row, j) - delta);
      add_to_query(in, out, row, j, in.a.scale * ds);
      add_to_key(in, out, row, j, in.a.scale * ds);
      add_to_value(in, out, row, j, p);
    }
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "backward_without_maximum" : "backward_with_maximum",
                                     .run = run_backward<backward>},
                                    "none");
