// EXPECT: MISMATCH. Probabilities are normalised over their tile of 16 keys instead of all that the query sees.
// SMALLEST: B=1 Sq=1 Sk=17 H=1 HK=1
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

constexpr int64_t kTile = 16;

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t end = in.a.visible(row.i);
    // Calls f(j, P_j) for all keys that the query sees.
    const auto for_each_key = [&](auto f) {
      for (int64_t first = 0; first < end; first += kTile) {
        const int64_t tile_end = first + kTile < end ? first + kTile : end;
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

void run(assay::Call& call) { assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call)); }

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "gradients_tile_normalised",
                                       .summary = "normalises every tile of keys by itself",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unless_nothing,
                                       .adjust = take_nothing,
                                       .run = run});

}  // namespace
