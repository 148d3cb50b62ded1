// One element's step, for the variants of adamw.
#pragma once

#include "harness/op/variant.h"

namespace assay::device {

struct AdamW {
  float lr, beta1, beta2, eps, decay, scale;
  float correction1, correction2;  // 1 - beta^t

  // Updates the moments and returns the new weight.
  __device__ float step(float gradient, float weight, float& m, float& v) const {
    gradient *= scale;
    m = beta1 * m + (1 - beta1) * gradient;
    v = beta2 * v + (1 - beta2) * (gradient * gradient);
    return weight - lr * (m / correction1 / (sqrtf(v / correction2) + eps) + decay * weight);
  }
};

// The numbers of a case; what is the same for all elements is computed here, on the host.
inline AdamW optimiser_of(const assay::Call& call) {
  const float beta1 = call.real("beta1"), beta2 = call.real("beta2"), t = call.real("t");
  return {.lr = call.real("lr"),
          .beta1 = beta1,
          .beta2 = beta2,
          .eps = call.real("eps"),
          .decay = call.real("decay"),
          .scale = call.real("scale"),
          .correction1 = 1 - powf(beta1, t),
          .correction2 = 1 - powf(beta2, t)};
}

}  // namespace assay::device
