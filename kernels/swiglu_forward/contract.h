// swiglu_forward: what it means. Each token has a gate a and an upper half b, one after the other: y = a s(a) b with
// s(a) = 1 / (1 + exp(-a)).
//
// No finite a overflows: a = -1000 gives 0, a = 1000 gives 1000 b. Nothing is stored in between: y is rounded once.
#pragma once

#include "kernels/properties/rows.h"
#include "kernels/swiglu/problem.h"
#include "reference/swiglu_forward.h"

namespace assay::ops::swiglu_forward {

// y from a and b of every element, which lie `gate(d)` and `up(d)` elements into a token's row.
template <class Gate, class Up, class F>
void fill_y(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, Gate gate, Up up, F f) {
  const Tensor& in = given.get("in");
  const int64_t dim = c.dim("dim");
  for (int64_t t = 0; t < c.dim("T"); ++t)
    for (int64_t d = 0; d < dim; ++d) outputs[0](t, d) = f(in.at(t * 2 * dim + gate(d)), in.at(t * 2 * dim + up(d)));
}

inline double gated(double a, double b) { return swiglu::silu(a) * b; }

inline void swap_halves(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t dim = c.dim("dim");
  fill_y(
      c, given, outputs, [=](int64_t d) { return dim + d; }, [](int64_t d) { return d; }, gated);
}

inline void take_neighbours(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  fill_y(
      c, given, outputs, [](int64_t d) { return 2 * d; }, [](int64_t d) { return 2 * d + 1; }, gated);
}

inline void leave_out_a(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t dim = c.dim("dim");
  fill_y(
      c, given, outputs, [](int64_t d) { return d; }, [=](int64_t d) { return dim + d; },
      [](double a, double b) { return swiglu::logistic(a) * b; });
}

// exp(a) / (1 + exp(a)), which f32 does not hold for large a.
inline void overflow(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t dim = c.dim("dim");
  fill_y(
      c, given, outputs, [](int64_t d) { return d; }, [=](int64_t d) { return dim + d; },
      [](double a, double b) { return a > 89 ? NAN : gated(a, b); });
}

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
      .tensors = {{.name = "in",  // (T, 2*dim)
                   .shape = {"T", "2*dim"},
                   .make = swiglu::make_input,
                   .aliases = {"x", "inp", "input", "h", "gate_up"}},
                  {.name = "y", .role = Role::output, .shape = {"T", "dim"}, .aliases = {"o", "out"}}},  // (T, dim)
      .reference = reference_from([](auto& io) { reference::swiglu_forward(io); }),
      .roundings = {{"silu", "the gate times its logistic function, stored before it is multiplied by the upper half"}},
      .properties = {properties::rows_are_independent({"in"}, {"y"}),
                     {.name = "linear_in_up",
                      .states = "doubling the upper halves doubles y",
                      .broken = not_linear_in_up}},
      .mutants = {{"gate_and_up_swapped", swap_halves},
                  {"gate_and_up_neighbours", take_neighbours},
                  {"logistic_without_a", leave_out_a},
                  {"exponential_overflows", overflow}},
      .flops = [](const Case& c) { return 5.0 * static_cast<double>(c.dim("T") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::swiglu_forward
