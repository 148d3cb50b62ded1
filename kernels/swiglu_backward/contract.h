// swiglu_backward: what it means. The gradients of y = a s(a) b, one after the other as a and b are:
// da = dy b s (1 + a (1 - s)), db = dy a s.
//
// As in the forward, no finite a overflows.
#pragma once

#include "kernels/properties/rows.h"
#include "kernels/properties/scale.h"
#include "kernels/swiglu/problem.h"
#include "reference/swiglu_backward.h"

namespace assay::ops::swiglu_backward {

// din from f(a, b, dy), which gives da and db.
inline Mutant made_by(std::string name, std::pair<double, double> (*f)(double a, double b, double dy)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &in = given.get("in"), &dy = given.get("dy");
            const int64_t dim = c.dim("dim");
            for (int64_t t = 0; t < c.dim("T"); ++t)
              for (int64_t d = 0; d < dim; ++d) {
                const auto [da, db] = f(in.at(t * 2 * dim + d), in.at(t * 2 * dim + dim + d), dy.at(t * dim + d));
                outputs[0](t, d) = da;
                outputs[0](t, dim + d) = db;
              }
          }};
}

// s where 1 - s belongs.
inline std::pair<double, double> s_for_complement(double a, double b, double dy) {
  const double s = swiglu::logistic(a);
  return {dy * b * s * (1 + a * s), dy * swiglu::silu(a)};
}

// b doubled doubles da and leaves db.
inline std::optional<std::string> not_linear_in_up(const PropertyRun& run) {
  Tensors given = run.given;
  if (!swiglu::double_upper_half(run.c, given.get("in"))) return std::nullopt;
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor &once = run.got.get("din"), &twice = got->get("din");
  const std::vector<double> budget = run.budget("din");
  const int64_t dim = run.c.dim("dim");
  for (int64_t i = 0; i < once.count(); ++i) {
    const double factor = i % (2 * dim) < dim ? 2 : 1;
    if (!properties::agree(once.dtype(), factor * once.at(i), twice.at(i), 4 * budget[static_cast<size_t>(i)]))
      return fmt::format("din{} goes from {:.9g} to {:.9g}", index_text(once.shape(), i), once.at(i), twice.at(i));
  }
  return std::nullopt;
}

inline Contract contract() {
  return {
      .name = "swiglu_backward",
      .summary = "da = dy b s (1 + a (1 - s)), db = dy a s, s = 1/(1 + exp(-a)); in = [a, b], din = [da, db]",
      .dims = swiglu::dims(),
      .repeats_along = {"T"},
      .tensors = {swiglu::input(),
                  {.name = "dy",  // (T, dim)
                   .shape = {"T", "dim"},
                   .derive = swiglu::make_gradient,
                   .aliases = {"dout", "grad", "grad_out", "grad_output"}},
                  {.name = "din",  // (T, 2*dim)
                   .role = Role::output,
                   .shape = {"T", "2*dim"},
                   .aliases = {"dx", "dinp", "dh", "grad_in", "grad_input"},
                   .parts = {{"d_gate", "dg"}, {"d_up", "du"}}}},
      .exponentials = true,
      .reference = reference_from([](auto& io) { reference::swiglu_backward(io); }),
      .roundings = {{"silu", "the gate times its logistic function, stored before it is multiplied by dy"},
                    {"dsilu", "dy b, the gradient of that, stored"}},
      .properties = {properties::rows_are_independent({"in", "dy"}, {"din"}),
                     properties::doubles_with({"dy"}, {"din"}),
                     {.name = "linear_in_up",
                      .states = "doubling the upper halves doubles their gates' gradients and leaves their own",
                      .broken = not_linear_in_up}},
      .mutants = {made_by("gradients_swapped",
                          [](double a, double b, double dy) {
                            return std::pair(dy * swiglu::silu(a), dy * b * swiglu::silu_slope(a));
                          }),
                  made_by("gate_and_up_swapped",
                          [](double a, double b, double dy) {
                            return std::pair(dy * a * swiglu::silu_slope(b), dy * swiglu::silu(b));
                          }),
                  made_by("s_for_1_minus_s", s_for_complement),
                  made_by("b_left_out_of_da",
                          [](double a, double, double dy) {
                            return std::pair(dy * swiglu::silu_slope(a), dy * swiglu::silu(a));
                          })},
      .flops = [](const Case& c) { return 10.0 * static_cast<double>(c.dim("T") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::swiglu_backward
