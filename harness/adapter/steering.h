// What an adapter's kernel is for: the dims and attributes that `fix` and `range` leave of the op, and the outputs that
// `omits` leaves out. Cases are generated inside, and those outside are UNSUPPORTED.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

struct SteeringMistake {
  std::string key;  // of the adapter
  std::string what, hint;
};
std::optional<SteeringMistake> steering_mistake(const Adapter& adapter, const Contract& contract);

// The words in the expressions of an adapter: of its launches, requirements, fixes and workspace.
using AdapterWords = std::set<std::string, std::less<>>;
AdapterWords words_of(const Adapter& adapter);

// The ranges, and every fix by a plain value: what a variant registers. An attribute that changes the form of an output
// which the kernel writes, and that the adapter names nowhere, stays at its first choice: the kernel cannot know of the
// others, least of all where the attribute is newer than the adapter. So does one that chooses an input's values where
// the kernel is not given that input (AttrSpec::of_input), and one that is optional; of an optional one that it names
// it takes every choice.
std::vector<Domain> domains_of(const Adapter& adapter, const Contract& contract);

// The fixes that are left: dims by an expression over others.
std::vector<Fixed> computed_fixes(const Adapter& adapter, const Contract& contract);

}  // namespace assay
