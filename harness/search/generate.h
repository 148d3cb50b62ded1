// Random cases of an op, from its contract alone.
#pragma once

#include <cstdint>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

struct GenerateLimits {
  int64_t elements_max = 20000;   // of all tensors of a case together
  int64_t flops_max = 5'000'000;  // arithmetic operations of the case, where its contract counts them
};

bool fits(const Contract& contract, const Case& c, const GenerateLimits& limits);

// Case number `index` for a variant and dtype under `seed`: a pure function of its arguments, so a case does not depend
// on how many others are made, on jobs, or on other variants. Boundary values come about half of the time.
Case generate_case(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed, int64_t index,
                   const GenerateLimits& limits);

}  // namespace assay
