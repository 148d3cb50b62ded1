// The gradients of attention_project as matrix products of each head: its dattn, and its part of dWo.
#pragma once

#include "kernels/device/attention_project.cuh"

namespace assay::device {

struct AttentionProjectBackwardArgs {
  AttentionProjectArgs sizes;
  bool accumulates;

  // dattn (tokens, lanes) = dout Wo of a head, to attn_at(head, 0, 0) with the weights from wo_at(0, head, 0).
  __host__ __device__ GemmArgs dattn_args() const {
    return {.rows = sizes.tokens, .cols = sizes.lanes, .depth = sizes.outs, .b = by_k(sizes.of_head(nullptr).b.stride)};
  }
  // dWo (outs, lanes) = doutᵀ attn of a head, to wo_at(0, head, 0).
  __host__ __device__ GemmArgs dwo_args() const {
    return {.rows = sizes.outs,
            .cols = sizes.lanes,
            .depth = sizes.tokens,
            .a = by_k(sizes.outs),
            .b = by_k(sizes.lanes),
            .accumulates = accumulates,
            .c_stride = sizes.of_head(nullptr).b.stride};
  }
};

template <class T>
struct AttentionProjectBackward {
  const T *dout, *attn, *wo;  // (tokens, outs), (heads, tokens, lanes), as dwo
  T* dattn;                   // (heads, tokens, lanes)
  float *dwo, *dbo;           // (heads, outs, lanes) or (outs, heads, lanes), and (outs) or null
  AttentionProjectBackwardArgs args;
};

inline AttentionProjectBackwardArgs attention_project_backward_args(const Case& c) {
  return {.sizes = attention_project_args(c), .accumulates = c.text("dw") == "accumulate"};
}

template <class T>
AttentionProjectBackward<T> attention_project_backward(const Call& call) {
  return {.dout = call.in<T>("dout"),
          .attn = call.in<T>("attn"),
          .wo = call.in<T>("wo"),
          .dattn = call.out<T>("dattn"),
          .dwo = call.out<float>("dwo"),
          .dbo = call.out<float>("dbo"),
          .args = attention_project_backward_args(call.c())};
}

inline std::optional<int64_t> attention_project_backward_element_at(const Case& c, std::string_view tensor,
                                                                    const std::vector<int64_t>& index) {
  if (tensor == "dout") return attention_project_backward_args(c).dattn_args().a.at(index[0], index[1]);
  if (tensor == "dattn" || tensor == "attn") return attention_project_element_at(c, "attn", index);
  if (tensor == "dwo" || tensor == "wo") return attention_project_element_at(c, "wo", index);
  return std::nullopt;
}

}  // namespace assay::device
