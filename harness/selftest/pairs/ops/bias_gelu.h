// bias_gelu: y = gelu(x + bias) by tanh, an op as its users write one with `assay new-op --like elementwise`.
#pragma once

#include "harness/op/contract.h"
#include "reference/gelu.h"

namespace assay::ops::bias_gelu {

template <class S>
void compute(ReferenceIo<S>& io) {
  const auto& x = io.in("x");        // (rows, cols)
  const auto& bias = io.in("bias");  // (cols)
  auto& y = io.out("y");             // (rows, cols)
  for (int64_t r = 0; r < io.dim("rows"); ++r)
    for (int64_t c = 0; c < io.dim("cols"); ++c) {
      const S v = x(r, c) + bias[c];
      y(r, c) = S(0.5) * v * (S(1) + reference::tanh(S(0.7978845608028654) * (v + S(0.044715) * v * v * v)));
    }
}

inline Contract contract() {
  return {
      .name = "bias_gelu",
      .summary = "y = gelu(x + bias), by tanh",
      .dims = {{.name = "rows", .meaning = "rows", .min = 0},
               {.name = "cols", .meaning = "elements of a row", .min = 1}},
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}, .magnitude = 3e4},
                  {.name = "bias", .role = Role::input, .shape = {"cols"}, .magnitude = 3e4},
                  {.name = "y", .role = Role::output, .shape = {"rows", "cols"}}},
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      .reference = reference_from([](auto& io) { compute(io); }),
      .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::bias_gelu
