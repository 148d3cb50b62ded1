// Mutants: wrong outputs of one tensor, made in place from the right ones, that the judge must notice whatever the op
// is. Contracts add their own (Contract::mutants).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/op/reference.h"

namespace assay::judge {

struct StandardMutant {
  std::string_view name;
  // `initial` is what an accumulated tensor started from, zeros otherwise.
  void (*mutate)(RefTensor<double>& right, const std::vector<double>& initial, DType dtype);
};

std::span<const StandardMutant> standard_mutants();

}  // namespace assay::judge
