// The assembly of a file's host code, made ready: each kernel's host function learns its own address, and a description
// of kernels and variables is added, with the text of the device's code, which the program registers before main.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace assay::cxx {

struct HostCode {
  std::string_view assembly;        // of the text that rewritten() gives
  std::set<std::string> variables;  // of the device, without namespaces
  std::string device_code;          // the file with device code (device_code.h); "" where there is none
  bool is_relocatable = false;      // its device code is linked with that of other files
  bool tells_host = false;          // tells_host.h
};

struct DescribedCode {
  std::string assembly;
  std::set<std::string> variables;        // their symbols
  std::set<std::string> kernels;          // symbols
  std::map<std::string, uint64_t> sizes;  // of the variables, in bytes
};

DescribedCode with_description(const HostCode& host);

}  // namespace assay::cxx
