// EXPECT: MISMATCH PROPERTY. Where weights are added to, dWo is replaced while dbo accumulates.
// SMALLEST: H=1 ad=1 aE=1 T=0 wo=by_row biases=none dw=accumulate block=32
// TWIN: dWo and dbo are both added to, or both replaced.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/attention_project_backward.cuh"

using namespace assay::device;

// A thread for each element of dattn, then of dwo, then of dbo.
__global__ void gradients(AttentionProjectBackward<float> all) {
  int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const AttentionProjectArgs& sizes = all.args.sizes;
  const int64_t tokens = sizes.tokens, lanes = sizes.lanes, outs = sizes.outs;
  if (i < sizes.heads * tokens * lanes) {
    const int64_t h = i / (tokens * lanes), t = i / lanes % tokens;
    float sum = 0;
    for (int64_t e = 0; e < outs; ++e) sum += all.dout[t * outs + e] * all.wo[sizes.wo_at(e, h, i % lanes)];
    all.dattn[i] = sum;
    return;
  }
  i -= sizes.heads * tokens * lanes;
  if (i < sizes.heads * outs * lanes) {
    const int64_t h = i / (outs * lanes), e = i / lanes % outs, at = sizes.wo_at(e, h, i % lanes);
    float sum = !ASSAY_PLANTED && all.args.accumulates ? all.dwo[at] : 0;
    for (int64_t t = 0; t < tokens; ++t) sum += all.dout[t * outs + e] * all.attn[sizes.attn_at(h, t, i % lanes)];
    all.dwo[at] = sum;
    return;
  }
  i -= sizes.heads * outs * lanes;
  if (i >= outs || all.dbo == nullptr) return;
  float sum = all.args.accumulates ? all.dbo[i] : 0;
  for (int64_t t = 0; t < tokens; ++t) sum += all.dout[t * outs + i];
  all.dbo[i] = sum;
}

void run(assay::Call& call) {
  const AttentionProjectBackward<float> all = attention_project_backward<float>(call);
  const AttentionProjectArgs& sizes = all.args.sizes;
  const int64_t threads = sizes.heads * sizes.lanes * (sizes.tokens + sizes.outs) + sizes.outs;
  assay::launch(gradients, thread_for_each(call, threads), all);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_project_backward",
                              .name = ASSAY_PLANTED ? "dwo_replaced" : "dwo_added_to",
                              .blocks = {32, 64, 128},
                              .run = run});
