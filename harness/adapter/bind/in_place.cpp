// Ops whose output lies where an input was, in kernels that have one parameter for both.
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/bind/match.h"

namespace assay {

bool can_be_in_place(const TensorSpec& output, const TensorSpec& input) {
  return output.role == Role::output && input.role == Role::input && !output.shape.empty() &&
         output.shape == input.shape && output.dtype == input.dtype && !output.dtype_by && !input.dtype_by;
}

std::string alias_of(const Contract& contract, std::string_view written, std::string_view input) {
  for (const AttrSpec& attr : contract.attrs)
    for (const std::string& choice : attr.choices)
      if (attr.name == kAliasAttr && choice == fmt::format("{}:{}", written, input)) return choice;
  return {};
}

std::string alias_of(const Contract& contract, const std::vector<Match>& matches) {
  const auto is_taken = [&](const std::string& tensor) {
    return std::any_of(matches.begin(), matches.end(),
                       [&](const Match& match) { return match.binding && match.binding->name == tensor; });
  };
  for (const TensorSpec& written : contract.tensors)
    for (const TensorSpec& input : contract.tensors)
      if (is_taken(written.name) && !is_taken(input.name))
        if (std::string choice = alias_of(contract, written.name, input.name); !choice.empty()) return choice;
  return {};
}

}  // namespace assay
