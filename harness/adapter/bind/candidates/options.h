// The options of each parameter of a kernel, with a cost for each: binding candidates are made of them.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/bind/match.h"

namespace assay {

// The cost of an option. A binding that the name suggests is nearly free; the order of the contract is the usual one.
enum Cost { settled = 0, alike = 1, counts_all = 2, split = 2, another = 3, number = 5, again = 6 };

struct Option {
  Binding binding;
  int cost = 0;
  size_t place = 0;       // in the contract
  bool shared = false;    // may be bound to several parameters
  bool distance = false;  // a row's length as the distance between rows: another parameter may count its elements
};

// The evidence that is believed where names and indices contradict each other. With indices, and with letters, names of
// one letter are hints; with names and letters, indices are not asked.
enum class Trust { both, indices, names, letters };

// For each parameter, the cheapest first; none where it fits nothing.
std::vector<std::vector<Option>> options_of(const KernelSource& kernel, const Contract& contract, Trust trust);

}  // namespace assay
