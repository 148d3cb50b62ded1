// Random cases of an op, from its contract alone.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

struct GenerateLimits {
  int64_t elements_max = 20000;   // of all tensors of a case together
  int64_t flops_max = 5'000'000;  // arithmetic operations of the case, where its contract counts them
  int64_t threads_max = std::numeric_limits<int64_t>::max();  // estimated_threads of the case
  int tries = 100;  // to draw one that the variant supports, before one is taken that it does not
};

// The executor takes seconds for more threads than that.
inline constexpr int64_t kThreadsMax = int64_t{1} << 19;

// Threads that a kernel launches which gives every row a block of its own: rows of the tensor that has most of them.
// A variant that takes a thread or a warp for each row launches fewer. 0 where the case has no block size.
int64_t estimated_threads(const Contract& contract, const Case& c);

// A variant that takes whatever its op admits and declares nothing: for cases without a kernel.
Variant any_variant(const Contract& op);

// The contract with the dims and attributes that the variant takes (Variant::domains): what is generated, and what
// shrinking moves towards.
Contract narrowed(Contract contract, const Variant& variant);

bool fits(const Contract& contract, const Case& c, const GenerateLimits& limits);

// One case in so many may have kThreadsMax threads whatever the limits are, so that tall shapes meet large blocks now
// and then. They are not among the first dozen, from which `assay check` takes those of the checked build.
inline constexpr int64_t kEveryTall = 16;

// Cases that keep a boundary value of a dim, such as the size of real heads, may have so many times more elements:
// their rows are long, and the cost of a case beside its operations is its rows. Only cases of ops with dims that
// repeat do so.
inline constexpr int64_t kMoreElements = 5;

// Case number `index` for a variant and dtype under `seed`: a pure function of its arguments, so a case does not depend
// on how many others are made, on jobs, or on other variants. Boundary values come about half of the time.
Case generate_case(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed, int64_t index,
                   GenerateLimits limits);

}  // namespace assay
