// new_op_name: what it means. This header is yours to edit: the contract states what a kernel reads and
// writes, the reference computes what is right. `assay new-op --like reduction` writes one with more comments.
//
// As it stands: y is x times a number, and bias added.
#pragma once

#include "harness/op/contract.h"

namespace assay::ops::new_op_name {

// The mathematics as plain loops; S is a number that may track rounding errors, so write S for every computed one.
// Functions of it are exp, log, sqrt, rsqrt, sin and cos; and after #include "reference/gelu.h" reference::tanh and
// reference::erf. `--like reduction` has the others.
template <class S>
void compute(ReferenceIo<S>& io) {
  const S scale = S(static_cast<double>(static_cast<float>(io.real("scale"))));  // as the kernel gets it
  const auto& x = io.in("x");                                                    // (n)
  const auto& bias = io.in("bias");                                              // (n)
  auto& y = io.out("y");                                                         // (n)
  for (int64_t i = 0; i < io.dim("n"); ++i) y[i] = scale * x[i] + bias[i];
}

// A wrong answer that every check must be able to notice. The general ones (zeros, a flipped sign, …) are tried anyway.
inline void leave_the_bias_out(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t i = 0; i < c.dim("n"); ++i) outputs[0][i] -= given.get("bias").at(i);
}

inline Contract contract() {
  constexpr double kLargest = 3e4;  // twice that is finite in f16
  return {
      .name = "new_op_name",  // as the file's name
      .summary = "y_i = scale x_i + bias_i",
      .dims = {{.name = "n", .meaning = "elements", .min = 0, .aliases = {"N", "count", "size", "numel"}}},
      .repeats_along = {"n"},  // for `assay check --huge`
      // Simplest first: failures are shrunk towards it.
      .attrs = {{.name = "scale", .meaning = "factor of x", .choices = {"1", "0.5", "-0.3"}}},
      .tensors = {{.name = "x", .role = Role::input, .shape = {"n"}, .magnitude = kLargest},
                  {.name = "bias", .role = Role::input, .shape = {"n"}, .magnitude = kLargest},
                  {.name = "y", .role = Role::output, .shape = {"n"}}},
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      .reference = reference_from([](auto& io) { compute(io); }),
      .mutants = {{"bias_left_out", leave_the_bias_out}},
      .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("n")); },
  };
}

}  // namespace assay::ops::new_op_name
