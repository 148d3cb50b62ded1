// EXPECT: MISMATCH PROPERTY. Where weights are added to, dWo is replaced while dbo accumulates.
// SMALLEST: H=1 ad=1 aE=1 T=0 wo=by_row biases=none dw=accumulate block=32
// TWIN: dWo and dbo are both added to, or both replaced.
#include "harness/op/variant.h"

namespace {

struct Gradients {
  const float *dout, *attn, *wo;  // (tokens, outs), (heads, tokens, lanes), as dwo
  float *dattn, *dwo, *dbo;
  int64_t heads, tokens, lanes, outs;
  bool by_head, accumulates;

  __device__ int64_t wo_at(int64_t e, int64_t h, int64_t d) const {
    return ((by_head ? h * outs + e : e * heads + h)) * lanes + d;
  }
};

// A thread for each element of dattn, then of dwo, then of dbo.
__global__ void gradients(Gradients all) {
  int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t tokens = all.tokens, lanes = all.lanes, outs = all.outs;
  if (i < all.heads * tokens * lanes) {
    const int64_t h = i / (tokens * lanes), t = i / lanes % tokens;
    float sum = 0;
    for (int64_t e = 0; e < outs; ++e) sum += all.dout[t * outs + e] * all.wo[all.wo_at(e, h, i % lanes)];
    all.dattn[i] = sum;
    return;
  }
  i -= all.heads * tokens * lanes;
  if (i < all.heads * outs * lanes) {
    const int64_t h = i / (outs * lanes), e = i / lanes % outs, at = all.wo_at(e, h, i % lanes);
#if ASSAY_PLANTED
    float sum = 0;
#else
    float sum = all.accumulates ? all.dwo[at] : 0;
#endif
    for (int64_t t = 0; t < tokens; ++t) sum += all.dout[t * outs + e] * all.attn[(h * tokens + t) * lanes + i % lanes];
    all.dwo[at] = sum;
    return;
  }
  i -= all.heads * outs * lanes;
  if (i >= outs || all.dbo == nullptr) return;
  float sum = all.accumulates ? all.dbo[i] : 0;
  for (int64_t t = 0; t < tokens; ++t) sum += all.dout[t * outs + i];
  all.dbo[i] = sum;
}

void run(assay::Call& call) {
  const Gradients all{.dout = call.in<float>("dout"),
                      .attn = call.in<float>("attn"),
                      .wo = call.in<float>("wo"),
                      .dattn = call.out<float>("dattn"),
                      .dwo = call.out<float>("dwo"),
                      .dbo = call.out<float>("dbo"),
                      .heads = call.dim("H"),
                      .tokens = call.dim("T"),
                      .lanes = call.dim("ad"),
                      .outs = call.dim("aE"),
                      .by_head = call.text("wo") == "by_head",
                      .accumulates = call.text("dw") == "accumulate"};
  const int64_t threads = all.heads * all.lanes * (all.tokens + all.outs) + all.outs;
  assay::launch(gradients, {.grid = dim3(assay::ceil_div(threads, call.block())), .block = dim3(call.block())}, all);
}

const assay::RegisterVariant kVariant({.op = "attention_project_backward",
                                       .name = ASSAY_PLANTED ? "dwo_replaced" : "dwo_added_to",
                                       .summary = ASSAY_PLANTED ? "replaces dWo whatever the case asks for"
                                                                : "adds to dWo where dbo accumulates",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
