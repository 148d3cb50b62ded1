// A line for each kernel and variable, an empty one, and the code.
#include "harness/program/source_module.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/base/scanner.h"

namespace assay {
namespace {

constexpr uint32_t kFatBinaryMagic = 0xba55ed50;
constexpr uint16_t kContainerHeader = 16, kSourceKind = 0x4153;
constexpr uint32_t kSourceHeader = 64;
constexpr std::string_view kFirstLine = "assay module 1\n";

template <class T>
void put_field(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

std::string fat_binary_of(const SourceModule& module) {
  std::string text(kFirstLine);
  for (const std::string& kernel : module.kernels) text += fmt::format("kernel {}\n", kernel);
  for (const auto& [name, bytes] : module.variables) text += fmt::format("variable {} {}\n", bytes, name);
  text += '\n';
  text += module.code;
  std::string bytes(kContainerHeader + kSourceHeader, '\0');
  put_field(bytes, 0, kFatBinaryMagic);
  put_field(bytes, 4, uint16_t{1});
  put_field(bytes, 6, kContainerHeader);
  put_field(bytes, 8, uint64_t{kSourceHeader + text.size()});
  put_field(bytes, kContainerHeader, kSourceKind);
  put_field(bytes, kContainerHeader + 4, kSourceHeader);
  put_field(bytes, kContainerHeader + 8, uint64_t{text.size()});
  return bytes + text;
}

std::optional<SourceModule> source_module_of(std::string_view fat_binary) {
  uint16_t kind = 0;
  if (fat_binary.size() < kContainerHeader + kSourceHeader + kFirstLine.size()) return std::nullopt;
  std::memcpy(&kind, fat_binary.data() + kContainerHeader, sizeof kind);
  std::string_view text = fat_binary.substr(kContainerHeader + kSourceHeader);
  if (kind != kSourceKind || !text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  SourceModule module;
  for (;;) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    Scanner line(text.substr(0, end));
    text.remove_prefix(end + 1);
    const auto is_in_line = [](char) { return true; };
    if (line.skip("kernel ")) {
      module.kernels.emplace(line.take(is_in_line));
    } else if (line.skip("variable ")) {
      uint64_t bytes = 0;
      for (const char digit : line.digits()) bytes = bytes * 10 + static_cast<uint64_t>(digit - '0');
      if (!line.skip(" ")) return std::nullopt;
      module.variables.emplace(line.take(is_in_line), bytes);
    } else {
      break;
    }
  }
  module.code = text;
  return module;
}

}  // namespace assay
