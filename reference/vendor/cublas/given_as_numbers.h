// For ops whose matrices may be blocks of a format: products by a library take numbers.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "harness/case/case.h"

namespace assay::vendor {

// Why cuBLAS cannot multiply these weights, or what they are multiplied with; nothing where all are numbers.
inline std::optional<std::string> given_as_blocks(const Case& c, std::initializer_list<const char*> weights) {
  for (const char* name : weights)
    if (c.text(std::string(name) + "_format") != "none") return "cuBLAS multiplies no blocks of a quantised format";
  if (c.text("activations") != "none") return "cuBLAS does not quantise what it multiplies";
  return std::nullopt;
}

inline void give_as_numbers(Case& c, std::initializer_list<const char*> weights) {
  for (const char* name : weights) c.set(std::string(name) + "_format", "none");
  c.set("activations", "none");
}

}  // namespace assay::vendor
