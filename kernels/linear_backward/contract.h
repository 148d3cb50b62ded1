// linear_backward: what it means. The gradients of y = x Wᵀ + b: dX = dY W, dW = dYᵀ X, db = Σ_t dY_t.
//
// dX has the case's dtype; dW and db are f32, as the gradients of weights of other ops, because they are added up over
// many steps. Two attributes tell what is overwritten and what is added to: one for dX, one for dW and db together.
// Without tokens dW and db are zeros, or what they were.
#pragma once

#include "harness/op/contract.h"
#include "kernels/data/tensors.h"
#include "kernels/linear_backward/properties.h"
#include "kernels/properties/second_run.h"
#include "reference/linear_backward.h"

namespace assay::ops::linear_backward {

inline constexpr double kLargest = 1e15;  // sums of a million products of two are finite in f32

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) { apply_fill(c, rng, kLargest, tensor); }

inline void make_factor(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

// Takes dy_t x_t and dy_t of the last token out of dW and db.
inline void lose_last_token(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &dy = given.get("dy"), &x = given.get("x");
  const int64_t last = c.dim("T") - 1, outs = c.dim("N"), ins = c.dim("K");
  if (last < 0) return;
  for (int64_t n = 0; n < outs; ++n) {
    outputs[2][n] -= dy.at(last * outs + n);
    for (int64_t k = 0; k < ins; ++k) outputs[1](n, k) -= dy.at(last * outs + n) * x.at(last * ins + k);
  }
}

// dW's memory read as (K, N) where it is (N, K): what a column-major view of it writes.
inline void transpose_dw(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t outs = c.dim("N"), ins = c.dim("K");
  const std::vector<double> right = outputs[1].values;
  for (int64_t n = 0; n < outs; ++n)
    for (int64_t k = 0; k < ins; ++k) outputs[1][k * outs + n] = right[static_cast<size_t>(n * ins + k)];
}

// W read as (K, N).
inline void transpose_w(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &dy = given.get("dy"), &w = given.get("w"), &initial = given.get("dx");
  const int64_t outs = c.dim("N"), ins = c.dim("K");
  for (int64_t t = 0; t < c.dim("T"); ++t)
    for (int64_t k = 0; k < ins; ++k) {
      double sum = c.text("dx") == "accumulate" ? initial.at(t * ins + k) : 0;
      for (int64_t n = 0; n < outs; ++n) sum += dy.at(t * outs + n) * w.at(k * outs + n);
      outputs[0](t, k) = sum;
    }
}

inline Contract contract() {
  const std::vector<std::string> choices = {"overwrite", "accumulate"};
  return {
      .name = "linear_backward",
      .summary = "dX_tk = sum_n dY_tn W_nk, dW_nk = sum_t dY_tn X_tk, db_n = sum_t dY_tn; overwritten or added to",
      .dims = {{.name = "T",
                .meaning = "tokens",
                .min = 0,
                .boundary = {1, 2, 31, 33, 65},
                .aliases = {"M", "BT", "B", "rows", "num_tokens", "batch_size"}},
               {.name = "N",
                .meaning = "elements of an output",
                .min = 0,
                .boundary = {1, 3, 31, 33, 65},
                .aliases = {"OC", "out_features", "out_dim"}},
               {.name = "K",
                .meaning = "elements of an input",
                .min = 0,
                .boundary = {1, 7, 33, 65, 96},
                .aliases = {"C", "in_features", "in_dim"}}},
      .attrs = {{.name = "dx", .meaning = "what becomes of dX", .choices = choices},
                {.name = "dw", .meaning = "what becomes of dW and db", .choices = choices}},
      .tensors = {{.name = "dy",  // (T, N)
                   .shape = {"T", "N"},
                   .make = make_values,
                   .aliases = {"dout", "grad_out", "grad_output"}},
                  {.name = "x", .shape = {"T", "K"}, .make = make_factor, .aliases = {"inp", "input"}},       // (T, K)
                  {.name = "w", .shape = {"N", "K"}, .make = make_factor, .aliases = {"weight", "weights"}},  // (N, K)
                  {.name = "dx",                                                                              // (T, K)
                   .role = Role::output,
                   .shape = {"T", "K"},
                   .make = make_values,
                   .aliases = {"dinp", "grad_in", "grad_input"},
                   .role_by = data::role_by("dx")},
                  {.name = "dw",  // (N, K)
                   .role = Role::output,
                   .shape = {"N", "K"},
                   .dtype = DType::f32,
                   .make = make_values,
                   .aliases = {"dweight", "grad_w", "grad_weight"},
                   .role_by = data::role_by("dw")},
                  {.name = "db",  // (N)
                   .role = Role::output,
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_values,
                   .aliases = {"dbias", "grad_b", "grad_bias"},
                   .role_by = data::role_by("dw")}},
      .linear = true,
      .reference = reference_from([](auto& io) { reference::linear_backward(io); }),
      .multiplies_matrices = true,
      .properties = {{.name = "token_order",
                      .states = "reversing the tokens reverses dX and leaves dW and db",
                      .broken = order_matters},
                     properties::second_run({"dx", "dw", "db"})},
      .mutants = {{"last_token_lost", lose_last_token}, {"dw_transposed", transpose_dw}, {"w_transposed", transpose_w}},
      .flops =
          [](const Case& c) {
            return 4.0 * static_cast<double>(c.dim("T")) * static_cast<double>(c.dim("N")) *
                   static_cast<double>(c.dim("K"));
          },
  };
}

}  // namespace assay::ops::linear_backward
