// What a case chooses besides the op's dims: threads per block, blocks, where buffers begin, and the choices of
// attributes. And whether a variant takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// The choices of an attribute that a variant takes: those that its domains name, and else all of them. Of an optional
// attribute that they do not name it takes the first, for the variant may be older than the attribute.
std::vector<std::string> choices_taken(const AttrSpec& attr, const Variant& variant);

// Why the variant does not run with the block=, grid=, offset= or attributes of the case, and what to write instead;
// nothing where it does.
std::optional<std::string> refused_choice(const Contract& contract, const Variant& variant, const Case& c);

}  // namespace assay
