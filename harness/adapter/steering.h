// The cases that an adapter's kernel is for: the dims and attributes that `fix` and `range` leave of the op, and the
// outputs that `omits` leaves out. Cases are generated inside, and those outside are UNSUPPORTED.
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

// The words in the expressions of an adapter: of its launches alone, of its requirements, fixes and workspace, too, or
// of some.
using AdapterWords = std::set<std::string>;
AdapterWords words_of_launches(const Adapter& adapter);
AdapterWords words_of(const Adapter& adapter);
AdapterWords words_in(const std::vector<std::string>& expressions);

// The domains that a variant registers: the ranges, every fix by a plain value, and the kinds of data that `skip_fills`
// and `finite` leave, as kFillDomain. An attribute that nothing names stays at its first choice (unmentioned.h); one
// that the op got later and the adapter names takes every choice.
std::vector<Domain> domains_of(const Adapter& adapter, const Contract& contract);

// The fixes that are left: dims by an expression over others.
std::vector<Fixed> computed_fixes(const Adapter& adapter, const Contract& contract);

}  // namespace assay
