// Decides between the binding candidates of a kernel by running a few cases of each.
#pragma once

#include "harness/adapter/prepared.h"

namespace assay {

// Takes the first candidate that a few cases say nothing against, with as few of its requirements as they allow, and
// says in the remarks what was guessed; false where there is none. Candidates are compiled some at a time, the
// cheapest guesses first, and those that do not compile are passed over. The error is the compiler's where none does.
Result<bool> decide(Prepared& prepared, size_t number, const TryAdapters& try_adapters);

}  // namespace assay
