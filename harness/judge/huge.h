// Judging a case of more elements than memory holds, by some of its blocks.
#pragma once

#include "harness/judge/judge.h"

namespace assay::judge {

// Runs sampled blocks of a huge case (harness/op/huge.h) and judges each element that they write by the case's base.
// UNSUPPORTED where the case cannot be sampled, with the reason.
ResultRow huge_case(const Contract& contract, const Variant& variant, const Case& c, Device& device);

}  // namespace assay::judge
