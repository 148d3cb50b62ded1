// Cases that are aimed at branches which a suite did not take: each has one dim, attribute, choice of the launch or
// kind of data that such a branch may turn on.
#pragma once

#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// A dim, an attribute, "block", "grid", "offset" or "fill", and cases that go through its values.
struct Aim {
  std::string at;
  std::vector<Case> cases;
};

// `numbers`: the constants that the branches compare with. Dims take those that the variant admits, the whole numbers
// beside them, and few times a block; everything else takes each of its choices. The rest of a case is random, with
// dtypes in turn, and of more elements than a suite's. A pure function of the arguments; aims without a case are left
// out.
std::vector<Aim> aimed_cases(const Contract& contract, const Variant& variant, const std::vector<int64_t>& numbers,
                             uint64_t seed);

}  // namespace assay
