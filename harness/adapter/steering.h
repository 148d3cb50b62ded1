// What an adapter's kernel is for: the dims and attributes that `fix` and `range` leave of the op, and the outputs that
// `omits` leaves out. Cases are generated inside, and those outside are UNSUPPORTED.
#pragma once

#include <optional>
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

// The ranges, and every fix by a plain value: what a variant registers.
std::vector<Domain> domains_of(const Adapter& adapter, const Contract& contract);

// The fixes that are left: dims by an expression over others.
std::vector<Fixed> computed_fixes(const Adapter& adapter, const Contract& contract);

}  // namespace assay
