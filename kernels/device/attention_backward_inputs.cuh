// What a kernel of the attention backward is given when the forward has left its LSE: tensors, bias, extents. Passed by
// value.
#pragma once

#include "kernels/device/attention.cuh"

namespace assay::device {

// Scores that are scale·q·k and nothing else; attention_bias.cuh has those with a bias and a mask.
struct NoBias {
  __device__ bool keeps(int64_t, int64_t, int64_t, int64_t) const { return true; }
  __device__ float added(int64_t, int64_t, int64_t, int64_t) const { return 0; }
};

template <class T, class Bias>
struct BackwardInputs {
  const T *q, *k, *v, *dout;  // (B, tokens, heads, D), or heads before tokens
  const float *lse, *delta;   // (B, H, Sq)
  Bias bias;                  // what is added to a score, and which pairs the mask keeps
  AttentionArgs a;

  // Whether query i of head h sees key j.
  __device__ bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return j < a.visible(i) && bias.keeps(b, h, i, j);
  }
};

template <class T, class Bias>
BackwardInputs<T, Bias> backward_inputs(const Call& call, const float* delta, const Bias& bias) {
  return {.q = call.in<T>("q"),
          .k = call.in<T>("k"),
          .v = call.in<T>("v"),
          .dout = call.in<T>("do"),
          .lse = call.in<float>("lse"),
          .delta = delta,
          .bias = bias,
          .a = attention_args(call)};
}

}  // namespace assay::device
