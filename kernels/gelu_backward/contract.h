// gelu_backward: what it means. dy times the slope of gelu_forward's curve at x.
//
// With alias=dx:dy the gradient goes where dy was, as engines do it that keep no second buffer for it.
#pragma once

#include "kernels/gelu/problem.h"
#include "kernels/properties/scale.h"
#include "reference/gelu_backward.h"

namespace assay::ops::gelu_backward {

// At infinity the curve is a line, and every formula for its slope infinity times 0: x is finite.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  gelu::make_x(c, rng, x);
  for (int64_t i = 0; i < x.count(); ++i)
    if (std::isinf(x.at(i))) x.set(i, 3);
}

// The slopes at x and -x add up to 1.
inline std::optional<std::string> slopes_do_not_add_up(const PropertyRun& run) {
  Tensors given = run.given;
  gelu::negate(given.get("x"));
  const Tensors negated = given;
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor &dx = run.got.get("dx"), &dx_back = got->get("dx"), &dy = run.given.get("dy");
  const std::vector<double> budget = run.budget("dx"), budget_back = run.budget_on(run.c, negated, "dx");
  for (int64_t i = 0; i < dy.count(); ++i) {
    const double sum = dx.at(i) + dx_back.at(i);
    const double allowed = budget[static_cast<size_t>(i)] + budget_back[static_cast<size_t>(i)];
    if (!std::isfinite(sum) || !std::isfinite(dy.at(i)) || std::fabs(sum - dy.at(i)) <= allowed) continue;
    return fmt::format("dx[{}] of x and of -x add up to {:.9g}, not to dy = {:.9g}", i, sum, dy.at(i));
  }
  return std::nullopt;
}

// `dx` by another slope.
template <class Slope>
Mutant with_slope(std::string name, Slope slope) {
  return {std::move(name), [slope](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &x = given.get("x"), &dy = given.get("dy");
            for (int64_t i = 0; i < x.count(); ++i) outputs[0][i] = dy.at(i) * slope(gelu::by_erf(c), x.at(i));
          }};
}

// The gate alone: what is left when the gate is taken for a constant.
inline double gate_alone(bool by_erf, double x) { return x == 0 ? 0.5 : gelu::curve(x, by_erf) / x; }

inline Contract contract() {
  return {
      .name = "gelu_backward",
      .summary = "dx = dy G'(x) with G of gelu_forward",
      .dims = gelu::dims(),
      .repeats_along = {"N"},
      .attrs = {gelu::form(), {.name = "alias", .meaning = "whether dx is where dy was", .choices = {"none", "dx:dy"}}},
      .tensors = {{.name = "x", .shape = {"N"}, .make = make_x, .aliases = {"inp", "in", "input"}},  // (N)
                  {.name = "dy",
                   .shape = {"N"},
                   .magnitude = gelu::kLargest,
                   .aliases = {"dout", "grad", "grad_out", "grad_output"}},  // (N)
                  {.name = "dx",
                   .role = Role::output,
                   .shape = {"N"},
                   .aliases = {"dinp", "grad_in", "grad_inp", "grad_input"}}},  // (N)
      .exponentials = true,
      .reference = reference_from([](auto& io) { reference::gelu_backward(io); }),
      .properties = {{.name = "slopes_add_up",
                      .states = "dx of x and of -x add up to dy",
                      .broken = slopes_do_not_add_up},
                     properties::doubles_with({"dy"}, {"dx"})},
      .mutants = {with_slope("other_form", [](bool by_erf, double x) { return gelu::slope(x, !by_erf); }),
                  with_slope("gate_alone", gate_alone)},
      .flops = [](const Case& c) { return 14.0 * static_cast<double>(c.dim("N")); },
  };
}

}  // namespace assay::ops::gelu_backward
