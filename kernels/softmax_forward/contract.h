// softmax_forward: what it means. The stable softmax of every row.
//
// A row with a NaN, with +inf, or with nothing but -inf is NaN throughout: the formula gives inf - inf.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/rows.h"
#include "reference/softmax_forward.h"

namespace assay::ops::softmax_forward {

// x with `shift` added to every element, if every sum is exact in x's dtype.
inline std::optional<Tensor> exactly_shifted(const Tensor& x, double shift) {
  Tensor shifted(x);
  for (int64_t i = 0; i < x.count(); ++i) {
    const double sum = x.at(i) + shift;
    shifted.set(i, sum);
    if (std::isfinite(sum) && (shifted.at(i) != sum || sum - shift != x.at(i))) return std::nullopt;
  }
  return shifted;
}

inline std::optional<std::string> changed_by_a_shift(const PropertyRun& run) {
  for (const double shift : {4.0, 1.0, 0.5, -0.25}) {
    auto shifted = exactly_shifted(run.given.get("x"), shift);
    if (!shifted) continue;
    Tensors given = run.given;
    given.get("x") = *std::move(shifted);
    const Result<Tensors> got = run.run(run.c, given);
    if (!got) return got.error().what;
    auto seen = properties::first_disagreement_of(run, run.c, given, *got, {"y"});
    if (seen) *seen += fmt::format(" after adding {}", shift);
    return seen;
  }
  return std::nullopt;
}

inline std::optional<std::string> row_that_does_not_sum_to_one(const PropertyRun& run) {
  const Tensor& y = run.got.get("y");
  const std::vector<double> budget = run.budget("y");
  const int64_t rows = run.c.dim("rows"), cols = run.c.dim("cols");
  for (int64_t r = 0; r < rows && cols > 0; ++r) {
    double total = 0, allowed = 0x1p-40;  // the additions here, in double
    for (int64_t i = r * cols; i < (r + 1) * cols; ++i) total += y.at(i), allowed += budget[static_cast<size_t>(i)];
    if (std::isnan(total)) continue;  // whether it may be is the reference's question
    if (!(std::fabs(total - 1) <= allowed)) return fmt::format("row {} sums to {:.9g} ± {:.3g}", r, total, allowed);
  }
  return std::nullopt;
}

// As if the second half of every row had not been added up: a grid or a tree that loses threads.
inline void sum_only_first_halves(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t rows = c.dim("rows"), cols = c.dim("cols");
  for (int64_t r = 0; r < rows; ++r) {
    double first_half = 0;
    for (int64_t j = 0; j < (cols + 1) / 2; ++j) first_half += outputs[0](r, j);
    for (int64_t j = 0; j < cols; ++j) outputs[0](r, j) /= first_half;
  }
}

inline Contract contract() {
  return {
      .name = "softmax_forward",
      .summary =
          "y_rc = exp(x_rc - m_r) / sum_j exp(x_rj - m_r), m_r the row's maximum; NaN or all -inf: the row is NaN",
      .dims = {{.name = "rows",
                .meaning = "independent rows",
                .min = 0,
                .aliases = {"N", "M", "B", "BT", "batch", "batch_size", "outer_size", "num_tokens"}},
               {.name = "cols",
                .meaning = "elements of a row",
                .min = 0,
                .aliases = {"C", "D", "N", "V", "dim", "dim_size", "hidden", "hidden_size", "inner_size", "width",
                            "row_size", "vocab_size"}}},
      .tensors = {{.name = "x",
                   .role = Role::input,
                   .shape = {"rows", "cols"},
                   .aliases = {"inp", "logits", "scores", "src", "preatt"}},  // (rows, cols)
                  {.name = "y",
                   .role = Role::output,
                   .shape = {"rows", "cols"},
                   .aliases = {"out", "probs", "dst", "att"}}},  // (rows, cols)
      .reference = reference_from([](auto& io) { reference::softmax_forward(io); }),
      .roundings = {{"exp", "exp(x - maximum), stored before it is divided by the sum"}},
      .forms = {{"exp2", "exponentials to base 2 of x log2(e) - maximum log2(e)"},
                {"exp_of_x_minus_lse", "exp(x - lse) with lse = maximum + ln sum, not a quotient"}},
      .properties = {properties::rows_are_independent({"x"}, {"y"}),
                     {.name = "ignores_a_shift",
                      .states = "adding one number to all of x, where that is exact, leaves y",
                      .broken = changed_by_a_shift},
                     {.name = "rows_sum_to_one",
                      .states = "a row of y that is not NaN sums to 1 within the budgets of its elements",
                      .broken = row_that_does_not_sum_to_one}},
      .mutants = {{"second_half_not_in_the_sum", sum_only_first_halves}},
      .flops = [](const Case& c) { return 5.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::softmax_forward
