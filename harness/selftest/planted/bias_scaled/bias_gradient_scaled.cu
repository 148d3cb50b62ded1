// EXPECT: MISMATCH. dBias is multiplied by the scale of the scores, which the bias is added to after scaling.
// SMALLEST: B=1 Sq=1 Sk=2 H=1 HK=1
// TWIN: dBias is dS, without the scale.
#include "harness/selftest/bias_rows.cuh"

using namespace assay::selftest;

__global__ void backward(BiasedInputs in, Gradients out, float* dbias) {
  for_each_pair(in, out, [&](const Row& row, int64_t j, float ds) {
    atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], ASSAY_PLANTED ? in.a.scale * ds : ds);
  });
}

void run(assay::Call& call) { launch_biased_backward(call, backward); }

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_bias_backward",
                                     .name = ASSAY_PLANTED ? "bias_gradient_scaled" : "bias_gradient_unscaled",
                                     .deterministic = false,
                                     .run = run},
                                    "lse_delta");
