// residual_add: what it means. A residual branch joined: out = a + b over whole rows, padding included.
//
// With alias=out:a the sum goes where a was, as engines do it that write dst += src.
#pragma once

#include "kernels/residual/problem.h"
#include "reference/residual_add.h"

namespace assay::ops::residual_add {

// `out` as scale_a·a + scale_b·b.
inline Mutant combination(std::string name, double scale_a, double scale_b) {
  return {std::move(name), [=](const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &a = given.get("a"), &b = given.get("b");
            for (int64_t i = 0; i < a.count(); ++i) outputs[0][i] = scale_a * a.at(i) + scale_b * b.at(i);
          }};
}

inline Contract contract() {
  return {
      .name = "residual_add",
      .summary = "out = a + b",
      .dims = residual::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "alias", .meaning = "whether out is where a was", .choices = {"none", "out:a"}}},
      .tensors = {{.name = "a",
                   .shape = {"T", "aE"},
                   .magnitude = 1e30,
                   .aliases = {"x", "inp1", "residual", "dst"}},                                            // (T, aE)
                  {.name = "b", .shape = {"T", "aE"}, .magnitude = 1e30, .aliases = {"y", "inp2", "src"}},  // (T, aE)
                  {.name = "out", .role = Role::output, .shape = {"T", "aE"}, .aliases = {"o", "sum"}}},    // (T, aE)
      .linear = true,
      .reference = reference_from([](auto& io) { reference::residual_add(io); }),
      .properties = {residual::exchanges("a and b exchanged give the same sum", {"out"})},
      .mutants = {combination("b_left_out", 1, 0), combination("a_left_out", 0, 1), combination("b_added_twice", 1, 2)},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("T") * c.dim("aE")); },
  };
}

}  // namespace assay::ops::residual_add
