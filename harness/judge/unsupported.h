// Whether a variant takes a case at all: asked before anything of the case is made.
#pragma once

#include <optional>
#include <string>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// Why it does not: it has no kernel for the dtype, does not run with the case's block=, grid= or offset=, or refuses it
// itself. Nothing where it does.
std::optional<std::string> why_unsupported(const Contract& contract, const Variant& variant, const Case& c);

}  // namespace assay
