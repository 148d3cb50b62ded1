// new_op_name: what it means. This header is yours to edit: the contract states what a kernel reads and
// writes, the reference computes what is right. Nothing else is needed; cases, tensors and error budgets follow from
// it.
//
// As it stands: y is x with a bias for each column, and sum is the sum of every row of that.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/rows.h"

namespace assay::ops::new_op_name {

// The mathematics as plain loops. S is double for the value and a type that tracks rounding errors for the budget, so
// write S for every computed number, add up with Sum<S>, and call functions without `std::`. There are
//   exp, log, sqrt, rsqrt, sin, cos
//   larger(a, b)    the maximum, NaN when either is
//   shared(a)       a rounded number that many later terms use, as a row's mean: its error does not average out there
//   plain(a)        the value as a double, to decide by: `if (plain(a) > 0)`
//   reference::tanh, reference::erf    after #include "reference/gelu.h"
//   reference::logistic(a).value       1 / (1 + exp(-a)) without overflow, after #include "reference/swiglu.h"
// and no pow, expm1 or log1p. Where exp may overflow in f32, kernels get infinity: write it so that it does not.
// io.index("ids", i) is element i of a tensor of integers.
template <class S>
void compute(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& x = io.in("x");        // (rows, cols)
  const auto& bias = io.in("bias");  // (cols)
  auto& y = io.out("y");             // (rows, cols)
  auto& sum = io.out("sum");         // (rows)

  for (int64_t r = 0; r < rows; ++r) {
    Sum<S> total;
    for (int64_t c = 0; c < cols; ++c) {
      y(r, c) = x(r, c) + bias[c];
      total.add(x(r, c) + bias[c]);
    }
    sum[r] = total.value();
  }
}

// A wrong answer that every check must be able to notice. The general ones (zeros, a flipped sign, 2 % too much, a
// stale row, …) are tried anyway; add those that this op invites.
inline void leave_the_last_column_out(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t rows = c.dim("rows"), cols = c.dim("cols");
  for (int64_t r = 0; r < rows; ++r) outputs[1][r] -= outputs[0](r, cols - 1);  // outputs are y and sum, as below
}

inline Contract contract() {
  // Sums of 10^6 elements of this size are finite in f32, and those of two in f16.
  constexpr double kLargest = 3e4;
  return {
      .name = "new_op_name",  // as the file's name
      .summary = "y_rc = x_rc + bias_c; sum_r = sum_c y_rc",
      // Every dim is drawn from its domain, with sizes where kernels break. Aliases are what kernels may call it.
      .dims = {{.name = "rows", .meaning = "independent rows", .min = 0, .aliases = {"N", "M", "batch"}},
               {.name = "cols", .meaning = "elements of a row", .min = 1, .aliases = {"C", "D", "width"}}},
      .repeats_along = {"rows"},  // rows do not depend on each other: for `assay check --huge`
      // .attrs = {{.name = "eps", .meaning = "added under the root", .choices = {"1e-5", "1e-6"}}} would be a number
      // that the reference reads with io.real("eps").
      // Tensors are in the order of the kernel's arguments; a shape's extents are dims, numbers, and products such as
      // "rows*2".
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}, .magnitude = kLargest},
                  {.name = "bias", .role = Role::input, .shape = {"cols"}, .magnitude = kLargest},
                  {.name = "y", .role = Role::output, .shape = {"rows", "cols"}},
                  {.name = "sum", .role = Role::output, .shape = {"rows"}, .dtype = DType::f32}},
      // Tensors without a dtype of their own have the case's. There are f32, bf16, f16, and of integers u8, u32, u64: a
      // kernel's int takes u32, of which negative numbers are those from 2^31 on. There is no f64.
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      // .admits_nan = false, .admits_infinity = false and .skip_fills = {"ties"} would say what data are not meant,
      // and .why_left_out = "…" the reason.
      .reference = reference_from([](auto& io) { compute(io); }),
      // Facts that hold whatever the reference computes; kernels/properties has more.
      .properties = {properties::rows_are_independent({"x"}, {"y"})},
      .mutants = {{"last_column_not_in_the_sum", leave_the_last_column_out}},
      // Arithmetic operations of the mathematics, for the roofline of a benchmark.
      .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::new_op_name
