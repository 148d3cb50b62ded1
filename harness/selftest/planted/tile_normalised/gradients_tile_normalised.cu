// EXPECT: MISMATCH. Probabilities are normalised over their tile of 16 keys instead of all that the query sees.
// SMALLEST: B=1 Sq=1 Sk=17 H=1 HK=1
// TWIN: Probabilities are normalised over all keys that the query sees.
#include "harness/selftest/attention_rows.cuh"

namespace {

using namespace assay::selftest;

#if ASSAY_PLANTED
constexpr int64_t kTile = 16;
#endif

__global__ void backward(RowInputs<assay::device::NoBias> in, Gradients out) {
  for_each_row(in, out, [&](const Row& row) {
    const int64_t end = in.a.visible(row.i);
#if ASSAY_PLANTED
    // Calls f(j, P_j) for all keys that the query sees.
    const auto for_each_key = [&](auto f) {
      for (int64_t first = 0; first < end; first += kTile) {
        const int64_t tile_end = first + kTile < end ? first + kTile : end;
        const ScoreSums sums = score_sums(in, row, first, tile_end);
        for (int64_t j = first; j < tile_end; ++j) f(j, expf(score(in, row, j) - sums.maximum) / sums.total);
      }
    };
#else
    const ScoreSums sums = score_sums(in, row, 0, end);
    const auto probability = [&](int64_t j) { return expf(score(in, row, j) - sums.maximum) / sums.total; };
#endif
    float delta = 0;
#if ASSAY_PLANTED
    for_each_key([&](int64_t j, float p) { delta += p * output_product(in, row, j); });
    for_each_key([&](int64_t j, float p) {
      const float ds = p * (output_product(in, row, j) - delta);
#else
    for (int64_t j = 0; j < end; ++j) delta += probability(j) * output_product(in, row, j);
    for (int64_t j = 0; j < end; ++j) {
      const float p = probability(j), ds = p * (output_product(in, row, j) - delta);
#endif
      add_to_query(in, out, row, j, in.a.scale * ds);
      add_to_key(in, out, row, j, in.a.scale * ds);
      add_to_value(in, out, row, j, p);
#if ASSAY_PLANTED
    });
#else
    }
#endif
  });
}

void run(assay::Call& call) { assay::launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call)); }

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = ASSAY_PLANTED ? "gradients_tile_normalised" : "gradients_row_normalised",
                                       .summary = ASSAY_PLANTED ? "normalises every tile of keys by itself"
                                                                : "normalises over the whole row",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unless_nothing,
                                       .adjust = take_nothing,
                                       .run = run});

}  // namespace
