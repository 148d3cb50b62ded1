// Whether a composite's list of steps fits together: part of contract_mistakes().
#pragma once

#include <string>
#include <vector>

#include "harness/op/contract.h"

namespace assay {

// One sentence for each name in the list that nobody has, and each dim of a step without a value. `c` need not keep
// the contract's constraint. Empty for a contract without steps.
std::vector<std::string> step_mistakes(const Contract& contract, const Case& c);

// One sentence for each tensor that a step takes before anything has made it, or in another size, and each that the
// composite writes and no step makes. `c` conforms.
std::vector<std::string> step_tensor_mistakes(const Contract& contract, const Case& c);

}  // namespace assay
