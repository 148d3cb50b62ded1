// What a case chooses besides the op: threads per block, blocks, where buffers begin. And whether a variant takes it.
#pragma once

#include <optional>
#include <string>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// Why the variant does not run with the block=, grid= or offset= of the case, and what to write instead; nothing where
// it does.
std::optional<std::string> refused_choice(const Contract& contract, const Variant& variant, const Case& c);

}  // namespace assay
