// The choices of a case besides the op's dims: threads per block, blocks, where buffers begin, and the choices of
// attributes; and whether a variant takes the case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// The domain of a variant that is about no dim or attribute: the kinds of data that it is meant for.
inline constexpr const char* kFillDomain = "fill";

// The choices of an attribute that a variant takes: those that its domains name, and else all of them. Where they do
// not name an optional attribute it takes the first, for the variant may be older than the attribute.
std::vector<std::string> choices_taken(const AttrSpec& attr, const Variant& variant);

// Whether a variant takes of a dim only what was there before the op got it (DimSpec::before): its domains do not name
// it.
bool takes_only_before(const DimSpec& dim, const Variant& variant);

// Whether a variant is meant for this kind of data: its domain kFillDomain, if any, lists those.
bool takes_fill(const Variant& variant, const std::string& fill);

// The block sizes of a variant in the order in which to try them for speed: from the largest up to 256 down, then those
// above it.
std::vector<int> usual_blocks(const Variant& variant);

// Why the variant does not run with the block=, grid=, offset=, fill= or attributes of the case, and what to write
// instead; nothing where it does.
std::optional<std::string> refused_choice(const Contract& contract, const Variant& variant, const Case& c);

}  // namespace assay
