// softmax_backward: what it means. From the softmax y and the gradient of y, the gradient of its argument.
//
// y is what softmax makes of the case's fill, or the fill itself: the formula needs no more, and a kernel that
// silently relies on rows that sum to 1 is wrong. Magnitudes stay below 1e10 so that y·y·g and its sums are finite in
// f32.
//
// With causal=1 columns that a row does not see have no part in it, and dx is 0 there: y is 0, as softmax_forward
// leaves it, and g may be anything. So a kernel that counts on the zeros of y is right where g is finite.
#pragma once

#include "kernels/data/softmax_rows.h"
#include "kernels/properties/scale.h"
#include "kernels/softmax/problem.h"
#include "reference/softmax_backward.h"

namespace assay::ops::softmax_backward {

inline constexpr double kLargest = 1e10;

inline void make_y(const Case& c, Rng& rng, Tensor& y) {
  const bool raw = c.text("y") == "raw";
  apply_fill(c, rng, raw ? kLargest : 0, y);
  const reference::SoftmaxRows a = reference::softmax_rows(c);
  softmax::for_each_row(a, [&](int64_t, int64_t first, int64_t seen) {
    if (!raw) data::softmax_row(y, first, first + seen);
    for (int64_t i = first + seen; i < first + a.cols; ++i) y.set(i, 0);
  });
}

// Products of two subnormal numbers are 0, and zeros could hide anything: beside a subnormal y, g is normal.
inline void make_g(const Case& c, Rng& rng, Tensor& g) {
  Case filled = c;
  if (c.fill == "subnormal" && c.text("y") == "raw") filled.fill = "normal";
  apply_fill(filled, rng, kLargest, g);
}

// Whatever y is, sum_c dx_rc = scale (sum_c y_rc g_rc) (1 - sum_c y_rc): zero up to the rounding of y when y is a
// softmax.
inline std::optional<std::string> row_with_wrong_sum(const PropertyRun& run) {
  const Tensor &y = run.given.get("y"), &g = run.given.get("g"), &dx = run.got.get("dx");
  const std::vector<double> budget = run.budget("dx");
  const reference::SoftmaxRows a = reference::softmax_rows(run.c);
  std::optional<std::string> wrong;
  softmax::for_each_row(a, [&](int64_t row, int64_t first, int64_t seen) {
    double dot = 0, total_y = 0, total = 0, allowed = 0, magnitude = 0;
    for (int64_t i = first; i < first + seen; ++i) {
      dot += y.at(i) * g.at(i);
      total_y += y.at(i);
      total += dx.at(i);
      allowed += budget[static_cast<size_t>(i)];
      magnitude += std::fabs(y.at(i) * g.at(i)) * (1 + std::fabs(y.at(i)));
    }
    const double want = a.scale * dot * (1 - total_y);
    allowed += 0x1p-40 * magnitude * (1 + std::fabs(total_y));           // the additions here, in double
    if (wrong || !std::isfinite(want) || !std::isfinite(total)) return;  // what may be infinite, the reference says
    if (!(std::fabs(total - want) <= allowed))
      wrong = fmt::format("row {} sums to {:.9g}, not to {:.9g} ± {:.3g}", row, total, want, allowed);
  });
  return wrong;
}

// dx = scale y (g - dot), with a dot of the first so many columns that a row sees.
template <class Counted>  // int64_t(int64_t seen)
void write_with_dot_of(Counted counted, const Case& c, const Tensors& given, RefTensor<double>& dx) {
  const Tensor &y = given.get("y"), &g = given.get("g");
  const reference::SoftmaxRows a = reference::softmax_rows(c);
  softmax::for_each_row(a, [&](int64_t, int64_t first, int64_t seen) {
    double dot = 0;
    for (int64_t i = first; i < first + counted(seen); ++i) dot += y.at(i) * g.at(i);
    for (int64_t i = first; i < first + seen; ++i) dx[i] = a.scale * y.at(i) * (g.at(i) - dot);
  });
}

// Acts as if the second half of every row had not been added up: a grid or a tree that loses threads.
inline void dot_only_first_halves(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  write_with_dot_of([](int64_t seen) { return (seen + 1) / 2; }, c, given, outputs[0]);
}
inline void leave_out_dot(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  write_with_dot_of([](int64_t) { return 0; }, c, given, outputs[0]);
}

inline constexpr auto kReference = [](auto& io, const reference::SoftmaxRows& rows) {
  reference::softmax_backward(io, rows);
};

inline Contract contract() {
  std::vector<AttrSpec> attrs = softmax::attrs();
  attrs.insert(
      attrs.begin(),
      {.name = "y", .meaning = "what y holds: a softmax of the fill, or the fill", .choices = {"softmax", "raw"}});
  std::vector<Mutant> mutants = softmax::mistakes(kReference);
  mutants.push_back({"dot_product_left_out", leave_out_dot});
  mutants.push_back({"second_half_not_in_the_dot", dot_only_first_halves});
  return {
      .name = "softmax_backward",
      .summary =
          "dx_rc = scale y_rc (g_rc - sum_j y_rj g_rj); a NaN makes its whole row NaN; causal: c, j <= i + cols "
          "- rows, and 0 behind",
      .dims = softmax::dims(),
      .repeats_along = {"rows"},
      .attrs = std::move(attrs),
      .tensors = {softmax::matrices("y", Role::input, make_y, {"out", "output", "probs", "p", "softmax", "att"}),
                  softmax::matrices("g", Role::input, make_g,
                                    {"dy", "dout", "do", "grad", "grad_out", "grad_output", "dprobs", "datt"}),
                  softmax::matrices(
                      "dx", Role::output, nullptr,
                      {"din", "dinp", "grad_in", "grad_inp", "grad_input", "dlogits", "dscores", "dpreatt"})},
      .adjust = softmax::make_one_matrix,
      .reference = reference_from([](auto& io) { kReference(io, reference::softmax_rows(io.c())); }),
      .roundings = {{"gy", "g y of every element, stored before they are added up"},
                    {"dot", "their sum over a row, stored"}},
      .formulas = {{"y_g_minus_y_dot", "y g - y dot, not y (g - dot)"},
                   {"jacobian", "the sum over j of y_j ((i == j) - y_i) g_j"}},
      .properties = {softmax::rows_are_independent({"y", "g"}, {"dx"}),
                     softmax::later_columns_are_not_seen({"g"}, "dx"),
                     properties::doubles_with({"g"}, {"dx"}),
                     {.name = "rows_sum_to_zero",
                      .states =
                          "a row of dx sums to scale (sum y g) (1 - sum y), which is 0 up to y's own rounding for "
                          "a softmax",
                      .broken = row_with_wrong_sum}},
      .mutants = std::move(mutants),
      .flops = [](const Case& c) { return 4.0 * softmax::seen_pairs(c); },
  };
}

}  // namespace assay::ops::softmax_backward
