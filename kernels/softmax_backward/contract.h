// softmax_backward: what it means. From the softmax y and the gradient of y, the gradient of its argument.
//
// y is what softmax makes of the case's fill, or the fill itself: the formula needs no more, and a kernel that
// silently relies on rows that sum to 1 is wrong. Magnitudes stay below 1e10 so that y·y·g and its sums are finite in
// f32.
#pragma once

#include "harness/op/contract.h"
#include "kernels/data/softmax_rows.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/scale.h"
#include "reference/softmax_backward.h"

namespace assay::ops::softmax_backward {

inline constexpr double kLargest = 1e10;

inline void make_y(const Case& c, Rng& rng, Tensor& y) {
  const bool raw = c.text("y") == "raw";
  apply_fill(c, rng, raw ? kLargest : 0, y);
  if (!raw) data::softmax_rows(y, c.dim("cols"));
}

// Products of two subnormal numbers are 0, and zeros could hide anything: beside a subnormal y, g is normal.
inline void make_g(const Case& c, Rng& rng, Tensor& g) {
  Case filled = c;
  if (c.fill == "subnormal" && c.text("y") == "raw") filled.fill = "normal";
  apply_fill(filled, rng, kLargest, g);
}

// Whatever y is, sum_c dx_rc = (sum_c y_rc g_rc) (1 - sum_c y_rc): zero up to the rounding of y when y is a softmax.
inline std::optional<std::string> row_with_wrong_sum(const PropertyRun& run) {
  const Tensor &y = run.given.get("y"), &g = run.given.get("g"), &dx = run.got.get("dx");
  const std::vector<double> budget = run.budget("dx");
  const int64_t rows = run.c.dim("rows"), cols = run.c.dim("cols");
  for (int64_t r = 0; r < rows; ++r) {
    double dot = 0, total_y = 0, total = 0, allowed = 0, magnitude = 0;
    for (int64_t i = r * cols; i < (r + 1) * cols; ++i) {
      dot += y.at(i) * g.at(i);
      total_y += y.at(i);
      total += dx.at(i);
      allowed += budget[static_cast<size_t>(i)];
      magnitude += std::fabs(y.at(i) * g.at(i)) * (1 + std::fabs(y.at(i)));
    }
    const double want = dot * (1 - total_y);
    allowed += 0x1p-40 * magnitude * (1 + std::fabs(total_y));    // the additions here, in double
    if (!std::isfinite(want) || !std::isfinite(total)) continue;  // what may be non-finite is the reference's question
    if (!(std::fabs(total - want) <= allowed))
      return fmt::format("row {} sums to {:.9g}, not to {:.9g} ± {:.3g}", r, total, want, allowed);
  }
  return std::nullopt;
}

// As if the second half of every row had not been added up: a grid or a tree that loses threads.
inline void dot_only_first_halves(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &y = given.get("y"), &g = given.get("g");
  const int64_t rows = c.dim("rows"), cols = c.dim("cols");
  for (int64_t r = 0; r < rows; ++r) {
    double dot = 0;
    for (int64_t i = r * cols; i < r * cols + (cols + 1) / 2; ++i) dot += y.at(i) * g.at(i);
    for (int64_t i = r * cols; i < (r + 1) * cols; ++i) outputs[0][i] = y.at(i) * (g.at(i) - dot);
  }
}

inline void leave_out_dot(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &y = given.get("y"), &g = given.get("g");
  for (int64_t i = 0; i < y.count(); ++i) outputs[0][i] = y.at(i) * g.at(i);
}

inline Contract contract() {
  return {
      .name = "softmax_backward",
      .summary = "dx_rc = y_rc (g_rc - sum_j y_rj g_rj); a NaN makes its whole row NaN",
      .dims = {{.name = "rows",
                .meaning = "independent rows",
                .min = 0,
                .aliases = {"N", "M", "B", "BT", "batch", "batch_size", "outer_size", "num_tokens"}},
               {.name = "cols",
                .meaning = "elements of a row",
                .min = 0,
                .aliases = {"C", "D", "N", "V", "dim", "dim_size", "hidden", "hidden_size", "inner_size", "width",
                            "row_size", "vocab_size"}}},
      .attrs = {{.name = "y",
                 .meaning = "what y holds: a softmax of the fill, or the fill",
                 .choices = {"softmax", "raw"}}},
      .tensors = {{.name = "y",
                   .role = Role::input,
                   .shape = {"rows", "cols"},
                   .make = make_y,
                   .aliases = {"out", "output", "probs", "p", "softmax", "att"}},  // (rows, cols)
                  {.name = "g",
                   .role = Role::input,
                   .shape = {"rows", "cols"},
                   .make = make_g,
                   .aliases = {"dy", "dout", "do", "grad", "grad_out", "grad_output", "dprobs",
                               "datt"}},  // (rows, cols)
                  {.name = "dx",
                   .role = Role::output,
                   .shape = {"rows", "cols"},
                   .aliases = {"din", "dinp", "grad_in", "grad_inp", "grad_input", "dlogits", "dscores",
                               "dpreatt"}}},  // (rows, cols)
      .reference = reference_from([](auto& io) { reference::softmax_backward(io); }),
      .roundings = {{"gy", "g y of every element, stored before they are added up"},
                    {"dot", "their sum over a row, stored"}},
      .forms = {{"y_g_minus_y_dot", "y g - y dot, not y (g - dot)"}},
      .properties = {properties::rows_are_independent({"y", "g"}, {"dx"}),
                     properties::doubles_with({"g"}, {"dx"}),
                     {.name = "rows_sum_to_zero",
                      .states =
                          "a row of dx sums to (sum y g) (1 - sum y), which is 0 up to y's own rounding for a softmax",
                      .broken = row_with_wrong_sum}},
      .mutants = {{"dot_product_left_out", leave_out_dot}, {"second_half_not_in_the_dot", dot_only_first_halves}},
      .flops = [](const Case& c) { return 4.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::softmax_backward
