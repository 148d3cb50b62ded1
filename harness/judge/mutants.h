// Mutants: wrong outputs of one tensor, made in place from the right ones, that the judge must notice whatever the op
// is. Contracts add their own (Contract::mutants).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/op/reference.h"

namespace assay {
struct Trial;
}

namespace assay::judge {

struct StandardMutant {
  std::string_view name;
  // `initial` is what an accumulated tensor started from, zeros otherwise.
  void (*mutate)(RefTensor<double>& right, const std::vector<double>& initial, DType dtype);
  bool is_fine = false;  // as small as what the allowed errors of a composite's steps may add up to
};

std::span<const StandardMutant> standard_mutants();

// Shows them to the judge of a composite's step, on the step's data; fills row.sensitivity. Mutants of the step's own
// contract are left to its own cases, whose data are made for them.
void show_to_judge_of_step(Trial& step);

}  // namespace assay::judge
