// The registries of ops and variants. Entries register themselves when their object is loaded; nobody edits a list.
#pragma once

#include <list>
#include <string_view>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

struct RegisterOp {
  explicit RegisterOp(Contract contract);
};

// Sorted by name. A list, so that a pointer to an op holds for good, whatever modules register later.
const std::list<Contract>& all_ops();
const Contract* find_op(std::string_view name);
std::vector<const Variant*> variants();  // sorted by op, then name, then device
const Variant* find_variant(std::string_view op, std::string_view name, std::string_view device);

// A glob with * and ?, against "op", "op/variant": what SELECT on the command line means. A pattern without a slash
// selects every variant of the ops that it matches.
bool selects(std::string_view pattern, const Variant& variant);

// Parses, finds the op and checks the case against its contract; whether the variant exists on a device is the
// caller's question. The error lists what is known.
Result<Case> read_case(std::string_view line);

// "; did you mean 'x'?" for the nearest of `known`, or the list of all when none is near (a long one is only named).
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace assay
