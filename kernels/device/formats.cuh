// A case's choices of blocks, for the host part of variants.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/op/variant.h"

namespace assay::device {

// Ops such as those of the backward have no such attribute, and no blocks.
inline bool is_in_blocks(const Case& c, const std::string& tensor) {
  const std::string* const format = c.find(tensor + "_format");
  return format != nullptr && *format != "none";
}
inline bool packs_activations(const Case& c) { return c.text("activations") != "none"; }

// The domains of a variant that takes activations and the weights of this name as they are: cases are generated so, and
// others refused by name.
inline std::vector<Domain> without_blocks(const std::vector<std::string>& tensors) {
  std::vector<Domain> domains = {{.name = "activations", .values = {"none"}}};
  for (const std::string& tensor : tensors) domains.push_back({.name = tensor + "_format", .values = {"none"}});
  return domains;
}

// Those of one that takes `weights` in blocks of any format too, `others` as they are, and activations by
// `activations`.
inline std::vector<Domain> with_formats(const std::vector<std::string>& weights, const std::vector<std::string>& others,
                                        std::vector<std::string> activations = {"none"}) {
  std::vector<Domain> domains = without_blocks(others);
  domains[0].values = std::move(activations);
  for (const std::string& tensor : weights)
    domains.push_back(
        {.name = tensor + "_format", .values = {"none", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k"}});
  return domains;
}

// Those of one that also packs activations.
inline std::vector<Domain> with_blocks(const std::vector<std::string>& weights) {
  return with_formats(weights, {}, {"none", "q8_k"});
}

}  // namespace assay::device
