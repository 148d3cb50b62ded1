// residual_add_backward: what it means. Both branches get the gradient as it is, bit for bit, padding included.
//
// With alias=da:dout the gradient of the stream stays where it is, and only the branch's is written.
#pragma once

#include "kernels/residual/problem.h"
#include "reference/residual_add_backward.h"

namespace assay::ops::residual_add_backward {

inline void halve_both(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  for (RefTensor<double>& output : outputs)
    for (double& value : output.values) value /= 2;
}

inline std::optional<std::string> branches_that_differ(const PropertyRun& run) {
  const Tensor &da = run.got.get("da"), &db = run.got.get("db");
  for (int64_t i = 0; i < da.count(); ++i)
    if (da.bits(i) != db.bits(i))
      return fmt::format("da{0} has bits {1:#x}, db{0} has {2:#x}", index_text(da.shape(), i), da.bits(i), db.bits(i));
  return std::nullopt;
}

inline Contract contract() {
  return {
      .name = "residual_add_backward",
      .summary = "da = db = dout, bit for bit",
      .dims = residual::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "alias", .meaning = "whether da is where dout was", .choices = {"none", "da:dout"}}},
      .tensors = {{.name = "dout",
                   .shape = {"T", "aE"},
                   .aliases = {"dy", "do", "grad", "grad_out", "grad_output", "d_out"}},  // (T, aE)
                  {.name = "da",
                   .role = Role::output,
                   .shape = {"T", "aE"},
                   .aliases = {"d_a", "dinp1", "dresidual", "grad_a"}},  // (T, aE)
                  {.name = "db",
                   .role = Role::output,
                   .shape = {"T", "aE"},
                   .aliases = {"d_b", "dinp2", "dbranch", "grad_b"}}},  // (T, aE)
      .linear = true,
      .reference = moves_from([](auto& io) { reference::residual_add_backward(io); }),
      .properties = {{.name = "branches_are_equal",
                      .states = "both branches get the same bits",
                      .broken = branches_that_differ}},
      .mutants = {{"gradient_halved", halve_both}},
  };
}

}  // namespace assay::ops::residual_add_backward
