// EXPECT: MISMATCH. Of the query heads that share a head of the bias, only the first of a group is counted.
// SMALLEST: B=1 Sq=1 Sk=2 H=2 HK=1 bias_heads=HK
// TWIN: Every query head is counted, those of a group too.
#include "harness/selftest/bias_rows.cuh"

using namespace assay::selftest;

__global__ void backward(BiasedInputs in, Gradients out, float* dbias, bool by_group) {
  for_each_pair(in, out, [&](const Row& row, int64_t j, float ds) {
    if (ASSAY_PLANTED && by_group && row.h % (in.a.heads / in.a.kv_heads) != 0) return;
    atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], ds);
  });
}

void run(assay::Call& call) { launch_biased_backward(call, backward, call.text("bias_heads") == "HK"); }

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_bias_backward",
                                     .name = ASSAY_PLANTED ? "bias_first_head_of_group" : "bias_all_heads_of_group",
                                     .deterministic = false,
                                     .run = run},
                                    "lse_delta");
