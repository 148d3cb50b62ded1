// GELU and its slope as kernels write them: by tanhf and erff as good as documented, by exponentials.
#include "harness/judge/test_honest_formula.h"
#include "kernels/gelu/problem.h"

namespace assay::honest_gelu {
namespace {

using Function = float (*)(float);

// The float two from the exact one towards 0, which is as far as CUDA documents for tanhf and erff. So it never is 1.
float two_short_of(double exact) {
  const float nearest = static_cast<float>(exact);
  return std::nextafter(std::nextafter(nearest, 0.0F), 0.0F);
}
float short_tanh(float u) { return two_short_of(std::tanh(static_cast<double>(u))); }
float short_erf(float u) { return two_short_of(std::erf(static_cast<double>(u))); }

// The same, except that it is 1 from where CUDA's is.
float saturating_tanh(float u) { return std::fabs(u) >= 9.0109F ? std::copysign(1.0F, u) : short_tanh(u); }

float library_tanh(float u) { return std::tanh(u); }
float library_erf(float u) { return std::erf(u); }
float tanh_by_exp(float u) { return 1 - 2 / (std::exp(2 * u) + 1); }
float cubic(float x) { return 0.7978845608F * (x + 0.044715F * x * x * x); }

float gate(float x, bool by_erf, Function f) { return 0.5F * (1 + f(by_erf ? x * 0.7071067812F : cubic(x))); }

// `f` is nothing: x times a logistic function, which is the same algebra.
void forward(const Case& c, Tensors& tensors, Function f, bool broken) {
  for (int64_t i = 0; i < tensors.get("x").count(); ++i) {
    const float x = f32(tensors.get("x"), i), seen = broken ? 1.002F * x : x;
    tensors.get("y").set(i, f ? x * gate(seen, ops::gelu::by_erf(c), f) : x / (1 + std::exp(-2 * cubic(seen))));
  }
}

void backward(const Case& c, Tensors& tensors, Function f, bool broken) {
  const bool by_erf = ops::gelu::by_erf(c);
  for (int64_t i = 0; i < tensors.get("x").count(); ++i) {
    const float x = f32(tensors.get("x"), i), t = f(cubic(x)), du = 0.7978845608F * (1 + 3 * 0.044715F * x * x);
    const float slope = by_erf ? 0.3989422804F * std::exp(-0.5F * x * x) : 0.5F * (1 - t * t) * du;
    tensors.get("dx").set(i, f32(tensors.get("dy"), i) * (gate(broken ? 1.002F * x : x, by_erf, f) + x * slope));
  }
}

HonestFormula formula(std::string name, bool is_forward, bool by_erf, Function f) {
  return {.name = std::move(name),
          .op = is_forward ? "gelu_forward" : "gelu_backward",
          .kernel = [=](const Case& c, Tensors& t, bool broken) { (is_forward ? forward : backward)(c, t, f, broken); },
          .takes = [=](const Case& c) { return ops::gelu::by_erf(c) == by_erf && c.dim("N") > 0; }};
}
HonestFormula by_tanh(std::string name, Function f) { return formula(std::move(name), true, false, f); }
HonestFormula by_erf(std::string name, Function f) { return formula(std::move(name), true, true, f); }
HonestFormula slope_by_tanh(std::string name, Function f) { return formula(std::move(name), false, false, f); }
HonestFormula slope_by_erf(std::string name, Function f) { return formula(std::move(name), false, true, f); }

class HonestGelu : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestGelu, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestGelu, WithABugFails) { expect_bug_is_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Production, HonestGelu,
                         testing::Values(by_tanh("tanh", library_tanh), by_tanh("tanh_short_of_1", short_tanh),
                                         by_tanh("tanh_by_exp", tanh_by_exp), by_tanh("logistic", nullptr),
                                         by_erf("erf", library_erf), by_erf("erf_short_of_1", short_erf),
                                         slope_by_tanh("slope", library_tanh),
                                         slope_by_tanh("slope_by_exp", tanh_by_exp),
                                         slope_by_tanh("slope_by_saturating_tanh", saturating_tanh),
                                         slope_by_erf("slope_by_erf", library_erf),
                                         slope_by_erf("slope_by_short_erf", short_erf)),
                         name_of);

}  // namespace
}  // namespace assay::honest_gelu
