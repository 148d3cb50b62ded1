// The inputs of a kernel of the attention backward when the forward has left its LSE: tensors, bias, extents. They are
// passed by value.
#pragma once

#include "kernels/device/attention.cuh"
#include "kernels/device/no_bias.cuh"

namespace assay::device {

template <class T, class Bias>
struct BackwardInputs {
  const T *q, *k, *v, *dout;  // (B, tokens, heads, D), or heads before tokens
  const float* lse;           // (B, H, Sq)
  const float* delta;         // likewise, or (B, Sq, H)
  HeadStrides delta_strides;
  bool adds;  // dK and dV are added to what is there
  Bias bias;  // what is added to a score, and which pairs the mask keeps
  AttentionArgs a;

  __device__ float lse_of(int64_t b, int64_t h, int64_t i) const { return lse[(b * a.heads + h) * a.queries + i]; }
  __device__ float delta_of(int64_t b, int64_t h, int64_t i) const { return delta[delta_strides.at(b, i, h)]; }

  // Whether query i of head h sees key j.
  __device__ bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return j < a.visible(i) && bias.keeps(b, h, i, j);
  }
};

// An element of dK or dV: `sum`, or what is there and `sum`.
template <class G>
__device__ void write_gradient(G* at, float sum, bool adds) {
  *at = static_cast<G>(adds ? static_cast<float>(*at) + sum : sum);
}

inline bool is_choice(const Case& c, const char* attr, const char* choice) {
  return c.find(attr) && c.text(attr) == choice;
}
inline bool adds_to_keys(const Case& c) { return is_choice(c, "dkv", "accumulate"); }

// Variant::domains of kernels of attention_backward: whether dK and dV are added to, and the order of a given delta.
inline Domain dkv_either_way() { return {.name = "dkv", .values = {"overwrite", "accumulate"}}; }
inline Domain delta_either_way() { return {.name = "delta_layout", .values = {"head_major", "token_major"}}; }

// delta: the case's, or (B, H, Sq) where it is computed from o.
template <class T, class Bias>
BackwardInputs<T, Bias> backward_inputs(const Call& call, const float* delta, const Bias& bias) {
  const AttentionArgs a = attention_args(call);
  const bool by_token = call.text("saved") == "lse_delta" && is_choice(call.c(), "delta_layout", "token_major");
  return {.q = call.in<T>("q"),
          .k = call.in<T>("k"),
          .v = call.in<T>("v"),
          .dout = call.in<T>("do"),
          .lse = call.in<float>("lse"),
          .delta = delta,
          .delta_strides = head_strides(!by_token, a.queries, a.heads, 1),
          .adds = adds_to_keys(call.c()),
          .bias = bias,
          .a = a};
}

}  // namespace assay::device
