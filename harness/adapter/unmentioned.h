// Attributes that nothing in an adapter names, and that the kernel cannot know: cases have their first choice.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

// Whether expressions, `fix`, `range` or `requires` of the adapter name it. In arguments, a tensor's name is the
// tensor.
bool names_attribute(const Adapter& adapter, const Contract& contract, const AttrSpec& attr);

// Those that are not swept: neither named, nor seen by the kernel in what it is given. It sees a choice that says how a
// tensor of its arguments is filled, or that leaves one out, which is a null pointer. One that the op got later is not
// swept even then, since the adapter may be older, unless it makes an input (AttrSpec::of_input) that the adapter
// names.
std::vector<const AttrSpec*> unmentioned_attributes(const Adapter& adapter, const Contract& contract);

// The same for dims that the op got later: cases have what was there before.
std::vector<const DimSpec*> unmentioned_dims(const Adapter& adapter, const Contract& contract);

// A dim that nothing in the adapter names although a tensor of the kernel has it as another extent than its first, so
// that elements lie where it says; and what it may be: the nearest dim before it that is named, or "".
struct UntoldDim {
  const DimSpec* dim;
  std::string maybe;
};
std::vector<UntoldDim> untold_dims(const Adapter& adapter, const Contract& contract);

// "Not swept, because the call does not name them: pairs = half, alias = none." Empty where everything is.
std::string unmentioned_sentence(const Adapter& adapter, const Contract& contract);

}  // namespace assay
