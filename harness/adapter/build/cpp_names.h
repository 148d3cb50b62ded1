// Names of a contract as names of C++: a tensor may be called do, a dim default.
#pragma once

#include <string>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

// The adapter and contract with such names replaced by others, in expressions and declarations alike.
struct CppNames {
  CppNames(const Adapter& adapter, const Contract& contract);
  Adapter adapter;
  Contract contract;
};

// Generated code in which string literals have the contract's own names again.
std::string with_own_names_in_literals(const std::string& code);

}  // namespace assay
