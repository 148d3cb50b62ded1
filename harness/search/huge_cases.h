// Cases of more than 2^32 elements, of which sampled blocks run (harness/judge/huge.h).
#pragma once

#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// Cases with a tensor of a little more than 2^32 elements, or as many as the variant takes, but at least 2^31 - 1: with
// each dim along which the op repeats made long, and with all of them; and each that has a dim which no int holds with
// the largest int instead, too. They are random cases of ordinary data otherwise, and a pure function of the arguments.
// Errors: the op has no such dims, or the variant takes no such case.
Result<std::vector<Case>> huge_cases(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed);

}  // namespace assay
