// A module that programs load and that `assay c++ -fatbin` has made: the text of kernels, in the container of PTX and
// machine code (fat_binary.h), as an image of a kind of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace assay {

struct SourceModule {
  std::set<std::string> kernels;              // symbols
  std::map<std::string, uint64_t> variables;  // symbols, with their bytes
  std::string_view code;                      // the device's code (../cxx/device_code.h), where the bytes are
};

std::string fat_binary_of(const SourceModule& module);

// Nothing where the fat binary has no such image.
std::optional<SourceModule> source_module_of(std::string_view fat_binary);

}  // namespace assay
