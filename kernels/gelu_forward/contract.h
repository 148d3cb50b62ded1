// gelu_forward: what it means. A smooth gate: x times the share of a normal distribution that lies below it, exactly
// (form=erf) or by a tanh of a cubic polynomial (form=tanh), which differs by up to 0.0005.
//
// An infinity stays one; minus infinity is not part of the contract, for every kernel multiplies it by 0.
#pragma once

#include "kernels/gelu/problem.h"
#include "reference/gelu_forward.h"

namespace assay::ops::gelu_forward {

// G(x) - G(-x) = x, by either formula.
inline std::optional<std::string> not_odd_but_for_x(const PropertyRun& run) {
  Tensors given = run.given;
  gelu::negate(given.get("x"));
  const Tensors negated = given;
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor &y = run.got.get("y"), &y_back = got->get("y"), &x = run.given.get("x");
  const std::vector<double> budget = run.budget("y"), budget_back = run.budget_on(run.c, negated, "y");
  for (int64_t i = 0; i < x.count(); ++i) {
    const double allowed = budget[static_cast<size_t>(i)] + budget_back[static_cast<size_t>(i)];
    if (!std::isfinite(x.at(i)) || std::fabs(y.at(i) - y_back.at(i) - x.at(i)) <= allowed) continue;
    return fmt::format("y[{}] is {:.9g} for x = {:.9g} and {:.9g} for -x: not x apart", i, y.at(i), x.at(i),
                       y_back.at(i));
  }
  return std::nullopt;
}

// `y` by another curve.
template <class Curve>
Mutant with_curve(std::string name, Curve curve) {
  return {std::move(name), [curve](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor& x = given.get("x");
            for (int64_t i = 0; i < x.count(); ++i) outputs[0][i] = curve(c, x.at(i));
          }};
}

inline Contract contract() {
  return {
      .name = "gelu_forward",
      .summary = "y = x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, or x (1 + erf(x / sqrt(2))) / 2",
      .dims = gelu::dims(),
      .repeats_along = {"N"},
      .attrs = {gelu::form()},
      .tensors = {{.name = "x", .shape = {"N"}, .make = gelu::make_x, .aliases = {"inp", "in", "input"}},   // (N)
                  {.name = "y", .role = Role::output, .shape = {"N"}, .aliases = {"out", "o", "output"}}},  // (N)
      .exponentials = true,
      .reference = reference_from([](auto& io) { reference::gelu_forward(io); }),
      .properties = {{.name = "odd_but_for_x", .states = "y of x less y of -x is x", .broken = not_odd_but_for_x}},
      .mutants = {with_curve("other_form", [](const Case& c, double x) { return gelu::curve(x, !gelu::by_erf(c)); }),
                  with_curve("quick_gelu", [](const Case&, double x) { return x / (1 + std::exp(-1.702 * x)); }),
                  with_curve("silu", [](const Case&, double x) { return x / (1 + std::exp(-x)); }),
                  with_curve(
                      "x_left_out",
                      [](const Case& c, double x) { return x == 0 ? 0.5 : gelu::curve(x, gelu::by_erf(c)) / x; })},
      .flops = [](const Case& c) { return 8.0 * static_cast<double>(c.dim("N")); },
  };
}

}  // namespace assay::ops::gelu_forward
