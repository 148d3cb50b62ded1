// Cases with tensors of more elements than memory holds, of which only some blocks run.
//
// Such a case repeats a small one, its base, along the dims that its op's contract names (Contract::repeats_along): the
// base's reference is that of the whole.
#pragma once

#include "harness/op/contract.h"

namespace assay {

// A tensor of so many elements makes a case huge: its reference would take more memory than most machines have.
inline constexpr int64_t kHugeElements = int64_t{1} << 28;

// Elements of the case's largest tensor.
int64_t largest_tensor(const Contract& contract, const Case& c);

inline bool is_huge(const Contract& contract, const Case& c) { return largest_tensor(contract, c) >= kHugeElements; }

// The case that a huge one repeats: its dims along which the op repeats are small prime numbers. Errors: the contract
// names none, or its constraint holds for none of those numbers; a case in which two tensors share a buffer.
Result<Case> base_of(const Contract& contract, const Case& c);

// Whether the op repeats along the dims that its contract names, in this case: what its reference makes of `given`, and
// of the same data twice along each of them. Else a sentence that says where it does not.
std::optional<std::string> why_not_repeated(const Contract& contract, const Case& base, const Tensors& given);

}  // namespace assay
