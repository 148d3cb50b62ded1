// Finds the mistakes of a contract's author before they become a crash in a campaign.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/op/contract.h"

namespace assay {

// Whether a text may name an op, a dim, an attribute or a tensor: letters, digits and underscores, no digit first.
bool is_identifier(std::string_view name);

// A case with every dim as near to `size` as its domain has, and the first choice of every attribute. A constraint may
// refuse it.
Case case_of_size(const Contract& contract, int64_t size);

// One sentence for each mistake of a registered contract; empty when there is none. Looks at names, domains and shapes;
// where those are right, runs the reference with every scalar on the smallest cases of every attribute's choices. An
// exception of the reference is a mistake; a reference that crashes takes the process with it, so a stranger's contract
// is looked at in a process of its own.
std::vector<std::string> contract_mistakes(const Contract& contract);

}  // namespace assay
