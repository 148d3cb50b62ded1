// What a case says of blocks, for the host part of variants.
#pragma once

#include <string>
#include <vector>

#include "harness/op/variant.h"

namespace assay::device {

// Ops such as those of the backward have no such attribute, and no blocks.
inline bool is_in_blocks(const Case& c, const std::string& tensor) {
  const std::string* const format = c.find(tensor + "_format");
  return format != nullptr && *format != "none";
}
inline bool packs_activations(const Case& c) { return c.text("activations") != "none"; }

// Of a variant that takes activations and the weights of this name as they are: cases are generated so, and others
// refused by name.
inline std::vector<Domain> without_blocks(const std::vector<std::string>& tensors) {
  std::vector<Domain> domains = {{.name = "activations", .values = {"none"}}};
  for (const std::string& tensor : tensors) domains.push_back({.name = tensor + "_format", .values = {"none"}});
  return domains;
}

}  // namespace assay::device
