// Reading warnings, and keeping them for each variant.
#include "harness/op/compiler_warnings.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace assay {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // op, variant, device

std::map<Key, std::vector<CompilerWarning>>& noted() {
  static std::map<Key, std::vector<CompilerWarning>> all;
  return all;
}

// "FILE.cu:12:9: warning: 'sum' may be used uninitialized [-Wmaybe-uninitialized]", or without the column.
bool read(const std::string& line, CompilerWarning& warning) {
  constexpr std::string_view kMark = ": warning: ";
  const size_t mark = line.find(kMark), option = line.rfind(" [-W");
  if (mark == std::string::npos || option == std::string::npos || option < mark || !line.ends_with(']')) return false;
  warning.place = line.substr(0, mark);
  const auto colons = std::ranges::count(warning.place, ':');
  if (colons > 1) warning.place.erase(warning.place.rfind(':'));
  warning.text = line.substr(mark + kMark.size(), option - mark - kMark.size());
  warning.option = line.substr(option + 2, line.size() - option - 3);
  return colons > 0;
}

}  // namespace

std::vector<CompilerWarning> warnings_in(std::string_view output) {
  std::vector<CompilerWarning> all;
  std::istringstream lines{std::string(output)};
  CompilerWarning warning;
  for (std::string line; std::getline(lines, line);)  // a template warns once for each of its types
    if (read(line, warning) && std::ranges::count(all, warning) == 0) all.push_back(warning);
  return all;
}

std::string print(const std::vector<CompilerWarning>& warnings) {
  std::string lines;
  for (const CompilerWarning& warning : warnings)
    lines += warning.place + ": warning: " + warning.text + " [" + warning.option + "]\n";
  return lines;
}

void note_compiler_warnings(std::string_view op, std::string_view variant, std::string_view device,
                            std::string_view lines) {
  noted()[{std::string(op), std::string(variant), std::string(device)}] = warnings_in(lines);
}

const std::vector<CompilerWarning>& compiler_warnings(const Variant& variant) {
  static const std::vector<CompilerWarning> kNone;
  const auto found = noted().find({variant.op, variant.name, variant.device});
  return found == noted().end() ? kNone : found->second;
}

}  // namespace assay
