// Limits what toml++ does not: the parts of a dotted key, on which it recurses.
#include "harness/adapter/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace assay {
namespace {

constexpr size_t kBytesMax = 1 << 20;
constexpr int kPartsMax = 32;

// The line of a key with too many parts, or of what may be one; 0 where there is none.
int line_of_deep_key(std::string_view text) {
  int line = 1, parts = 1;
  for (const char c : text) {
    if (c == '.' && ++parts > kPartsMax) return line;
    if (std::string_view("=,[]{}#\n").find(c) != std::string_view::npos) parts = 1;
    if (c == '\n') ++line;
  }
  return 0;
}

}  // namespace

Result<toml::table> read_toml(const std::string& path, const std::string& hint) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot read " + path, hint);
  std::string text(kBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kBytesMax) return fail(fmt::format("{} has more than {} bytes", path, kBytesMax), "split it");
  if (const int line = line_of_deep_key(text); line > 0)
    return fail(fmt::format("{}:{}: more than {} points in a key", path, line, kPartsMax), hint);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    return fail(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()), hint);
  }
}

}  // namespace assay
