// Which of the vendor's libraries this process found, with their versions, for the report; and which variants wait for
// one of them to plan.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/op/variant.h"

namespace assay {

// `version` gives the library's version, "13.1.0", or nothing where the library is missing.
void register_vendor_library(std::string name, std::function<std::optional<std::string>()> version);

// Name to version of every registered library that is there: {"cuBLAS": "13.1.0", …}. Looking may load them.
std::map<std::string, std::string> vendor_libraries();

// Variants, by their ids, whose library plans for each new shape before it runs, and compiles for seconds perhaps.
void register_planning(std::string variant_id);
bool plans_for_shapes(const Variant& variant, const Case& c);  // whether one of those that it runs does

struct RegisterVendorLibrary {
  RegisterVendorLibrary(std::string name, std::function<std::optional<std::string>()> version) {
    register_vendor_library(std::move(name), std::move(version));
  }
};

}  // namespace assay
