// EXPECT: MISMATCH. Of the query heads that share a head of the bias, only the first of a group is counted.
// SMALLEST: B=1 Sq=1 Sk=2 H=2 HK=1 bias_heads=HK
// TWIN: Every query head is counted, those of a group too.
#include "harness/selftest/attention_rows.cuh"
#include "kernels/device/attention_bias.cuh"

namespace {

using namespace assay::selftest;

using Inputs = RowInputs<assay::device::AttentionBias<float>>;

__global__ void clear(float* x, int64_t count) {
  for (int64_t n = 0; n < count; ++n) x[n] = 0;
}

#if ASSAY_PLANTED
__global__ void backward(Inputs in, Gradients out, float* dbias, bool by_group) {
#else
__global__ void backward(Inputs in, Gradients out, float* dbias) {
#endif
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      if (!in.sees(row.b, row.h, row.i, j)) continue;
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
#if ASSAY_PLANTED
      if (!by_group || row.h % (in.a.heads / in.a.kv_heads) == 0)
        atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], w.ds);
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
#if ASSAY_PLANTED
  assay::launch(backward, thread_per_sequence(call), in, gradients(call), dbias, call.text("bias_heads") == "HK");
#else
  assay::launch(backward, thread_per_sequence(call), in, gradients(call), dbias);
#endif
}

const assay::RegisterVariant kVariant({.op = "attention_bias_backward",
                                       .name = ASSAY_PLANTED ? "bias_first_head_of_group" : "bias_all_heads_of_group",
                                       .summary = ASSAY_PLANTED ? "dBias of the first head of each group"
                                                                : "dBias of all heads of each group",
                                       .dtypes = {assay::DType::f32},
                                       .deterministic = false,
                                       .unsupported = unless_lse_and_delta,
                                       .adjust = take_lse_and_delta,
                                       .run = run});

}  // namespace
