// EXPECT: MISMATCH. dBias is multiplied by the scale of the scores, which the bias is added to after scaling.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: dBias is dS, without the scale.
#include "harness/selftest/attention_rows.cuh"
#include "kernels/device/attention_bias.cuh"

namespace {

using namespace assay::selftest;

using Inputs = RowInputs<assay::device::AttentionBias<float>>;

__global__ void clear(float* x, int64_t count) {
  for (int64_t n = 0; n < count; ++n) x[n] = 0;
}

__global__ void backward(Inputs in, Gradients out, float* dbias) {
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      if (!in.sees(row.b, row.h, row.i, j)) continue;
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
#if ASSAY_PLANTED
      atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], in.a.scale * w.ds);
#else
      atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], w.ds);
#endif
    }
  });
}

void run(assay::Call& call) {
  const Inputs in =
      assay::device::backward_inputs<float>(call, call.in<float>("delta"), assay::device::attention_bias<float>(call));
  const auto bias = assay::device::broadcast_extents(call.c(), "bias");
  float* const dbias = call.out<float>("dbias");
  assay::launch(clear, {.grid = dim3(1), .block = dim3(1)}, dbias,
                bias.batches * bias.heads * bias.queries * call.dim("Sk"));
  assay::launch(backward, thread_per_sequence(call), in, gradients(call), dbias);
}

const assay::RegisterVariant kVariant({.op = "attention_bias_backward",
                                       .name = ASSAY_PLANTED ? "bias_gradient_scaled" : "bias_gradient_unscaled",
                                       .summary = ASSAY_PLANTED ? "multiplies dBias by the scale"
                                                                : "dBias without the scale",
                                       .dtypes = {assay::DType::f32},
                                       .deterministic = false,
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
