// The common parts of planted kernels of projections: a thread per element of the result, in f32.
#pragma once

#include "harness/selftest/planted_kernel.cuh"

namespace assay::selftest {

// One of the three products of qkv_project. x: (tokens, ins)  w: (heads, lanes, ins)  bias: (heads, lanes), or null
// out: (heads, slots, lanes)
struct HeadProjection {
  const float *x, *w, *bias;
  float* out;
  int64_t heads, slots, tokens, lanes, ins;

  __device__ float at(int64_t h, int64_t t, int64_t d) const {
    float sum = bias != nullptr ? bias[h * lanes + d] : 0;
    for (int64_t e = 0; e < ins; ++e) sum += x[t * ins + e] * w[(h * lanes + d) * ins + e];
    return sum;
  }
};

template <void (*project)(HeadProjection), bool kKeysHaveBias = true>
void run_projections(const Call& call) {
  const int64_t tokens = call.dim("T"), kv_heads = call.dim("HK"), slots = call.dim("kv_stride");
  if (tokens == 0) return;
  const auto launch_one = [&](const char* w, const float* bias, const char* out, int64_t heads, int64_t stride) {
    const HeadProjection p{call.in<float>("x"), call.in<float>(w), bias, call.out<float>(out), heads, stride, tokens,
                           call.dim("ad"),      call.dim("aE")};
    launch(project, device::thread_for_each(call, heads * tokens * p.lanes), p);
  };
  launch_one("wq", call.in<float>("bq"), "q", call.dim("H"), tokens);
  launch_one("wk", kKeysHaveBias ? call.in<float>("bk") : nullptr, "k", kv_heads, slots);
  launch_one("wv", call.in<float>("bv"), "v", kv_heads, slots);
}

// attention_project. attn: (heads, tokens, lanes)  wo: (heads, outs, lanes) or (outs, heads, lanes)  bo: (outs), or
// null  out: (tokens, outs)
struct OutProjection {
  const float *attn, *wo, *bo;
  float* out;
  int64_t heads, tokens, lanes, outs;
  bool by_head;

  __device__ float of_head(int64_t t, int64_t e, int64_t h, bool stored_by_head) const {
    const float* w = wo + (stored_by_head ? h * outs + e : e * heads + h) * lanes;
    float sum = 0;
    for (int64_t d = 0; d < lanes; ++d) sum += attn[(h * tokens + t) * lanes + d] * w[d];
    return sum;
  }
};

template <void (*project)(OutProjection)>
void run_out_projection(const Call& call) {
  const OutProjection p{call.in<float>("attn"), call.in<float>("wo"), call.in<float>("bo"),
                        call.out<float>("out"), call.dim("H"),        call.dim("T"),
                        call.dim("ad"),         call.dim("aE"),       call.text("wo") == "by_head"};
  if (p.tokens == 0) return;
  launch(project, device::thread_for_each(call, p.tokens * p.outs), p);
}

}  // namespace assay::selftest
