// adamw in plain loops: Loshchilov and Hutter, "Decoupled weight decay regularization" (arXiv:1711.05101), algorithm 2.
//
// lr, beta1, beta2, eps, decay and scale are the f32 numbers nearest to their decimal text, because that is what a
// kernel is handed. From 0.5 on f32 holds 1 - beta exactly. 1 - beta^t does not fare as well: of beta2 = 0.999 and t =
// 1 three digits cancel.
#pragma once

#include <cmath>

#include "harness/op/reference.h"

namespace assay::reference {

// 1 - beta^t, by powf, for which CUDA documents 4 ulp.
template <class S>
S bias_correction(double beta, double steps) {
  const double power = std::pow(beta, steps);
  watch_tracked(Watched::power, S(power));
  if constexpr (std::is_same_v<S, Tracked>) {
    const double own = 4 * Tracked::unit * power;
    return shared(Tracked(1) - Tracked(power, own * own, 0));
  }
  return S(1) - S(power);
}

template <class S>
void adamw(ReferenceIo<S>& io) {
  const auto number = [&](const char* name) { return static_cast<double>(static_cast<float>(io.real(name))); };
  const S beta1 = S(number("beta1")), beta2 = S(number("beta2")), lr = S(number("lr")), eps = S(number("eps")),
          decay = S(number("decay")), scale = S(number("scale"));
  const S fresh1 = S(1 - number("beta1")), fresh2 = S(1 - number("beta2"));
  const S correction1 = bias_correction<S>(number("beta1"), number("t")),
          correction2 = bias_correction<S>(number("beta2"), number("t"));
  const auto& g = io.in("g");                                 // (N)
  auto &p = io.out("p"), &m = io.out("m"), &v = io.out("v");  // (N)
  const bool has_master = io.has("master");
  auto& master = io.out("master");  // (N), or nothing

  for (int64_t i = 0; i < io.dim("N"); ++i) {
    const S gradient = g[i] * scale;
    m[i] = beta1 * m[i] + fresh1 * gradient;
    v[i] = beta2 * v[i] + fresh2 * (gradient * gradient);
    const S weight = has_master ? master[i] : p[i];
    const S divisor = plus_eps(sqrt(v[i] / correction2), eps), step = m[i] / correction1 / divisor + decay * weight;
    p[i] = weight - in_any_order(lr * step, S(1) / divisor);
    if (has_master) master[i] = p[i];
  }
}

}  // namespace assay::reference
