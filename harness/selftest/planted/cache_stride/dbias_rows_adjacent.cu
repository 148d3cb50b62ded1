// EXPECT: INPUT_CHANGED UNWRITTEN MISMATCH PROPERTY. Rows of dbias are taken to lie one after another.
// SMALLEST: HK=1 D=1 dbias_pad=1
// TWIN: Rows of dbias lie as far apart as the case has them.
#include "harness/selftest/attention_rows.cuh"
#include "kernels/device/attention_bias.cuh"

namespace {

using namespace assay::selftest;

using Inputs = RowInputs<assay::device::AttentionBias<float>>;

// Any stride of dbias.
std::optional<std::string> unless_saved_delta(const assay::Case& c) {
  if (c.text("saved") != "lse_delta") return "takes lse and delta from the forward; use saved=lse_delta";
  return std::nullopt;
}
void take_saved_delta(assay::Case& c) { c.set("saved", "lse_delta"); }

__global__ void clear(float* x, int64_t count, int64_t stride, int64_t cols) {
  for (int64_t n = 0; n < count; ++n)
    if (n % stride < cols) x[n] = 0;
}

__global__ void backward(Inputs in, Gradients out, assay::device::BiasGradientRows rows, float* dbias) {
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      if (!in.sees(row.b, row.h, row.i, j)) continue;
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
#if ASSAY_PLANTED
      atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], w.ds);
#else
      const int64_t head = row.h / in.bias.bias_at.heads_sharing;
      atomicAdd(&dbias[rows.at(row.b % rows.extents.batches, head, row.i % rows.extents.queries) + j], w.ds);
#endif
    }
  });
}

void run(assay::Call& call) {
  const Inputs in =
      assay::device::backward_inputs<float>(call, call.in<float>("delta"), assay::device::attention_bias<float>(call));
  const assay::device::BiasGradientRows rows = assay::device::bias_gradient_rows(call.c());
  float* const dbias = call.out<float>("dbias");
  assay::launch(clear, {.grid = dim3(1), .block = dim3(1)}, dbias, rows.at(rows.extents.batches, 0, 0), rows.stride,
                call.dim("Sk"));
  assay::launch(backward, thread_per_sequence(call), in, gradients(call), rows, dbias);
}

const assay::RegisterVariant kVariant({.op = "attention_bias_backward",
                                       .name = ASSAY_PLANTED ? "dbias_rows_adjacent" : "dbias_rows_apart",
                                       .summary = ASSAY_PLANTED ? "rows of dbias one after another"
                                                                : "rows of dbias as far apart as the case has them",
                                       .dtypes = {assay::DType::f32},
                                       .deterministic = false,
                                       .domains = {assay::device::any_dbias_pad()},
                                       .unsupported = unless_saved_delta,
                                       .adjust = take_saved_delta,
                                       .run = run});

}  // namespace
