// EXPECT: MISMATCH. Probabilities are normalised over their tile of 16 keys instead of all that the query sees.
// SMALLEST: B=1 Sq=1 Sk=17 H=1 HK=1
// TWIN: Probabilities are normalised over all keys that the query sees.
#include "harness/selftest/attention_rows.cuh"

using namespace assay::selftest;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t end = in.a.visible(row.i), tile = ASSAY_PLANTED ? 16 : end;
    // Calls f(j, P_j) for all keys that the query sees.
    const auto for_each_key = [&](auto f) {
      for (int64_t first = 0; first < end; first += tile) {
        const int64_t tile_end = first + tile < end ? first + tile : end;
        const ScoreSums sums = score_sums(in, row, first, tile_end);
        for (int64_t j = first; j < tile_end; ++j) f(j, expf(score(in, row, j) - sums.maximum) / sums.total);
      }
    };
    float delta = 0;
    for_each_key([&](int64_t j, float p) { delta += p * output_product(in, row, j); });
    for_each_key([&](int64_t j, float p) {
      const float ds = p * (output_product(in, row, j) - delta);
      add_to_query(in, out, row, j, in.a.scale * ds);
      add_to_key(in, out, row, j, in.a.scale * ds);
      add_to_value(in, out, row, j, p);
    });
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_backward",
                                     .name = ASSAY_PLANTED ? "gradients_tile_normalised" : "gradients_row_normalised",
                                     .run = run_backward<backward>},
                                    "none");
