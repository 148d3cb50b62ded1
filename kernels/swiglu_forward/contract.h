// swiglu_forward: what it means. Each token has a gate a and an upper half b, one after the other: y = a s(a) b with
// s(a) = 1 / (1 + exp(-a)).
//
// No finite a overflows: a = -1000 gives 0, a = 1000 gives 1000 b. Nothing is stored in between: y is rounded once.
#pragma once

#include "kernels/properties/rows.h"
#include "kernels/swiglu/problem.h"
#include "reference/swiglu_forward.h"

namespace assay::ops::swiglu_forward {

using Place = int64_t (*)(int64_t d, int64_t dim);  // in a token's row
inline int64_t first_half(int64_t d, int64_t) { return d; }
inline int64_t second_half(int64_t d, int64_t dim) { return dim + d; }

inline double gated(double a, double b) { return swiglu::silu(a) * b; }

// y as f(a, b) makes it of every element, with a and b from those places.
inline Mutant made_by(std::string name, Place gate, Place up, double (*f)(double a, double b)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor& in = given.get("in");
            const int64_t dim = c.dim("dim");
            for (int64_t t = 0; t < c.dim("T"); ++t)
              for (int64_t d = 0; d < dim; ++d)
                outputs[0](t, d) = f(in.at(t * 2 * dim + gate(d, dim)), in.at(t * 2 * dim + up(d, dim)));
          }};
}

// exp(a) / (1 + exp(a)), which f32 does not hold for large a.
inline double overflowing(double a, double b) { return a > 89 ? NAN : gated(a, b); }

inline std::optional<std::string> not_linear_in_up(const PropertyRun& run) {
  Tensors given = run.given;
  if (!swiglu::double_upper_half(run.c, given.get("in"))) return std::nullopt;
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor &once = run.got.get("y"), &twice = got->get("y");
  const std::vector<double> budget = run.budget("y");
  for (int64_t i = 0; i < once.count(); ++i)
    if (!properties::agree(once.dtype(), 2 * once.at(i), twice.at(i), 4 * budget[static_cast<size_t>(i)]))
      return fmt::format("y{} goes from {:.9g} to {:.9g}", index_text(once.shape(), i), once.at(i), twice.at(i));
  return std::nullopt;
}

inline Contract contract() {
  return {
      .name = "swiglu_forward",
      .summary = "y_td = a s b with a = in_td, b = in_{t,dim+d}, s = 1/(1 + exp(-a))",
      .dims = swiglu::dims(),
      .repeats_along = {"T"},
      .tensors = {swiglu::input(),
                  {.name = "y", .role = Role::output, .shape = {"T", "dim"}, .aliases = {"o", "out"}}},  // (T, dim)
      .exponentials = true,
      .reference = reference_from([](auto& io) { reference::swiglu_forward(io); }),
      .roundings = {{"silu", "the gate times its logistic function, stored before it is multiplied by the upper half"}},
      .properties = {properties::rows_are_independent({"in"}, {"y"}),
                     {.name = "linear_in_up",
                      .states = "doubling the upper halves doubles y",
                      .broken = not_linear_in_up}},
      .mutants = {made_by("gate_and_up_swapped", second_half, first_half, gated),
                  made_by(
                      "gate_and_up_neighbours", [](int64_t d, int64_t) { return 2 * d; },
                      [](int64_t d, int64_t) { return 2 * d + 1; }, gated),
                  made_by("logistic_without_a", first_half, second_half,
                          [](double a, double b) { return swiglu::logistic(a) * b; }),
                  made_by("exponential_overflows", first_half, second_half, overflowing)},
      .flops = [](const Case& c) { return 5.0 * static_cast<double>(c.dim("T") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::swiglu_forward
