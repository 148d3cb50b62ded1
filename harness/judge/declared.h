// The declarations of a variant, as the judge takes them.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/expected.h"
#include "harness/op/tracked.h"
#include "harness/op/variant.h"

namespace assay {

// The precision and the mask that a variant declares, for as long as the object lives.
TrackedPrecision declared_precision(const Variant& variant, const Case& c);

// The declarations as an adapter writes them, with commas between: `rounds = ["p"], ftz = true`. Empty for plain f32.
std::string declarations_of(const Variant& variant);

// Outputs that the variant does not make (Variant::omits) become those of a right kernel, so that what is judged over
// all outputs judges the others.
bool is_omitted(const Variant& variant, std::string_view output);
void supply_omitted(const Variant& variant, const Expected& expected, Tensors& got);

}  // namespace assay
