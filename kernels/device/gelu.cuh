// gelu and its slope in f32, for the variants of gelu_forward and gelu_backward.
#pragma once

namespace assay::device {

constexpr float kGeluScale = 0.7978845608f, kGeluCubic = 0.044715f;  // sqrt(2/pi)

__device__ inline float gelu_tanh(float x) { return tanhf(kGeluScale * (x + kGeluCubic * x * x * x)); }

__device__ inline float gelu_gate(float x, bool by_erf) {
  return 0.5f * (1 + (by_erf ? erff(x * 0.7071067812f) : gelu_tanh(x)));
}

__device__ inline float gelu_slope(float x, bool by_erf) {
  const float gate = gelu_gate(x, by_erf);
  if (by_erf) return gate + x * 0.3989422804f * expf(-0.5f * x * x);
  const float t = gelu_tanh(x);
  return gate + 0.5f * x * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
}

}  // namespace assay::device
