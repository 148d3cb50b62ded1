// Facts that hold of the gradients of a linear layer, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/rows.h"

namespace assay::ops::linear_backward {

inline std::optional<std::string> order_matters(const PropertyRun& run) {
  if (run.c.dim("T") < 2) return std::nullopt;
  Tensors given = run.given;
  for (const char* name : {"dy", "x", "dx"}) given.get(name) = properties::reversed_rows(run.given.get(name));
  Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  got->get("dx") = properties::reversed_rows(got->get("dx"));
  if (auto seen = properties::first_disagreement(run, *got, {"dx"})) return seen;
  return properties::first_disagreement_of(run, run.c, given, *got, {"dw", "db"});  // sums in another order
}

}  // namespace assay::ops::linear_backward
