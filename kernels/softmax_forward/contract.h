// softmax_forward: what it means. The stable softmax of every row.
//
// A row with a NaN, with +inf, or with nothing but -inf is NaN throughout: the formula gives inf - inf. With causal=1
// that is said of the columns that the row sees; the others become 0, whatever they hold, and so does all of a row that
// sees none.
#pragma once

#include "harness/op/contract.h"
#include "kernels/data/exponents.h"
#include "kernels/softmax/problem.h"
#include "reference/softmax_forward.h"

namespace assay::ops::softmax_forward {

// Scores times a scale are rounded, or not where the product is fused with what is taken from it: what that moves an
// exponential by is small where they are below this.
inline constexpr double kLargestScaled = 1e4;

inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  apply_fill(c, rng, c.text("scale") == "1" ? 0 : kLargestScaled, x);
  data::divide_exponents(c, reference::softmax_rows(c).scale, x);
}

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
  const reference::SoftmaxRows a = reference::softmax_rows(run.c);
  std::optional<std::string> wrong;
  softmax::for_each_row(a, [&](int64_t row, int64_t first, int64_t seen) {
    if (wrong || seen == 0) return;
    double total = 0, allowed = 0x1p-40;  // the additions here, in double
    for (int64_t i = first; i < first + a.cols; ++i) total += y.at(i), allowed += budget[static_cast<size_t>(i)];
    if (std::isnan(total)) return;  // whether it may be is the reference's question
    if (!(std::fabs(total - 1) <= allowed)) wrong = fmt::format("row {} sums to {:.9g} ± {:.3g}", row, total, allowed);
  });
  return wrong;
}

// Acts as if the second half of every row had not been added up: a grid or a tree that loses threads.
inline void sum_only_first_halves(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  softmax::for_each_row(reference::softmax_rows(c), [&](int64_t r, int64_t, int64_t seen) {
    double first_half = 0;
    for (int64_t j = 0; j < (seen + 1) / 2; ++j) first_half += outputs[0](r, j);
    for (int64_t j = 0; j < seen; ++j) outputs[0](r, j) /= first_half;
  });
}

inline constexpr auto kReference = [](auto& io, const reference::SoftmaxRows& rows) {
  reference::softmax_forward(io, rows);
};

inline Contract contract() {
  std::vector<Mutant> mutants = softmax::mistakes(kReference);
  mutants.push_back({"second_half_not_in_the_sum", sum_only_first_halves});
  return {
      .name = "softmax_forward",
      .summary =
          "y_rc = exp(s_rc - m_r) / sum_j exp(s_rj - m_r), s = scale x, m_r the row's maximum; NaN or all -inf: "
          "the row is NaN; causal: c, j <= i + cols - rows, and 0 behind",
      .dims = softmax::dims(),
      .repeats_along = {"rows"},
      .attrs = softmax::attrs(),
      .numbers = {{.name = "temperature", .expression = "1 / scale", .aliases = {"temp"}}},
      .tensors = {softmax::matrices("x", Role::input, make_x, {"inp", "logits", "scores", "src", "preatt"}),
                  softmax::matrices("y", Role::output, nullptr, {"out", "probs", "dst", "att"})},
      .out_of_reach = {{"sum_size", "overflows f16", "the exponentials of a row add up to its length at most"}},
      .exponentials = true,
      .adjust = softmax::make_one_matrix,
      .reference = reference_from([](auto& io) { kReference(io, reference::softmax_rows(io.c())); }),
      .roundings = {{"exp", "exp(x - maximum), stored before it is divided by the sum"}},
      .formulas = {{"exp2", "exponentials to base 2 of x log2(e) - maximum log2(e)"},
                   {"exp_of_x_minus_lse", "exp(x - lse) with lse = maximum + ln sum, not a quotient"}},
      .properties = {softmax::rows_are_independent({"x"}, {"y"}),
                     softmax::later_columns_are_not_seen({"x"}, "y"),
                     {.name = "ignores_a_shift",
                      .states = "adding one number to all of x, where that is exact, leaves y",
                      .broken = changed_by_a_shift},
                     {.name = "rows_sum_to_one",
                      .states = "a row of y that sees something and is not NaN sums to 1 within the budgets",
                      .broken = row_that_does_not_sum_to_one}},
      .mutants = std::move(mutants),
      .flops = [](const Case& c) { return 5.0 * softmax::seen_pairs(c); },
  };
}

}  // namespace assay::ops::softmax_forward
