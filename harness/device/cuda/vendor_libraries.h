// Which of the vendor's libraries this process found, with their versions, for the report.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace assay {

// `version` gives the library's version, "13.1.0", or nothing where the library is missing.
void register_vendor_library(std::string name, std::function<std::optional<std::string>()> version);

// Name to version of every registered library that is there: {"cuBLAS": "13.1.0", …}. Looking may load them.
std::map<std::string, std::string> vendor_libraries();

struct RegisterVendorLibrary {
  RegisterVendorLibrary(std::string name, std::function<std::optional<std::string>()> version) {
    register_vendor_library(std::move(name), std::move(version));
  }
};

}  // namespace assay
