// One step of AdamW as production code computes it: the paper's order, PyTorch's and that of fused optimisers.
#include "harness/judge/test_honest_formula.h"

namespace assay::honest_adamw {
namespace {

enum class Algebra : uint8_t { paper, torch, lr_first, lerp };

void step(const Case& c, Tensors& tensors, Algebra algebra, bool broken) {
  const auto number = [&](const char* name) { return static_cast<float>(c.real(name)); };
  const float lr = number("lr"), beta1 = number("beta1"), beta2 = number("beta2"), eps = number("eps"),
              decay = number("decay"), scale = number("scale"), t = number("t");
  const float c1 = 1 - std::pow(beta1, t), c2 = 1 - std::pow(beta2, t);
  const Tensor& g = tensors.get("g");
  Tensor &p = tensors.get("p"), &m = tensors.get("m"), &v = tensors.get("v"), &master = tensors.get("master");
  Tensor& weights = master.absent() ? p : master;
  for (int64_t i = 0; i < c.dim("N"); ++i) {
    const float gradient = f32(g, i) * scale, before = f32(weights, i);
    const float m_new = algebra == Algebra::lerp ? f32(m, i) + (1 - beta1) * (gradient - f32(m, i))
                                                 : beta1 * f32(m, i) + (1 - beta1) * gradient;
    const float v_new = beta2 * f32(v, i) + (broken ? 1.1F : 1) * (1 - beta2) * gradient * gradient;
    m.set(i, m_new);
    v.set(i, v_new);
    float after = before - lr * (m_new / c1 / (std::sqrt(v_new / c2) + eps) + decay * before);
    if (algebra == Algebra::torch)
      after = before * (1 - lr * decay) - lr / c1 * m_new / (std::sqrt(v_new) / std::sqrt(c2) + eps);
    if (algebra == Algebra::lr_first)
      after = before - lr * (m_new / c1) / (std::sqrt(v_new / c2) + eps) - lr * decay * before;
    weights.set(i, after);
    if (!master.absent()) p.set(i, after);
  }
}

HonestFormula formula(std::string name, Algebra algebra) {
  return {.name = std::move(name), .op = "adamw", .kernel = [=](const Case& c, Tensors& tensors, bool broken) {
            step(c, tensors, algebra, broken);
          }};
}

class HonestAdamW : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestAdamW, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestAdamW, WithABugFails) { expect_bug_is_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Production, HonestAdamW,
                         testing::Values(formula("paper", Algebra::paper), formula("torch", Algebra::torch),
                                         formula("lr_first", Algebra::lr_first), formula("lerp", Algebra::lerp)),
                         name_of);

}  // namespace
}  // namespace assay::honest_adamw
