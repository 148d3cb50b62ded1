// Texts with a mutant in them, and what of them is shown.
#include "harness/mutate/kernel_mutant.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/check.h"

namespace assay {
namespace {

constexpr size_t kLinesAround = 3;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

}  // namespace

std::string mutated(const std::string& text, const KernelMutant& mutant) {
  const auto offset = static_cast<size_t>(mutant.offset), length = static_cast<size_t>(mutant.length);
  ASSAY_CHECK(offset <= text.size() && length <= text.size() - offset, "a mutant of another text: " + title(mutant));
  return text.substr(0, offset) + mutant.replacement + text.substr(offset + length);
}

std::string unified_diff(const std::string& text, const KernelMutant& mutant) {
  const std::vector<std::string> before = lines_of(text), after = lines_of(mutated(text, mutant));
  size_t first = 0, same_end = 0;
  const size_t shorter = std::min(before.size(), after.size());
  while (first < shorter && before[first] == after[first]) ++first;
  while (same_end < shorter - first && before[before.size() - 1 - same_end] == after[after.size() - 1 - same_end])
    ++same_end;
  const size_t from = first - std::min(first, kLinesAround), to = std::min(same_end, kLinesAround);
  std::string body;
  const auto add = [&](char sign, const std::vector<std::string>& lines, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) body += sign + lines[i] + "\n";
  };
  add(' ', before, from, first);
  add('-', before, first, before.size() - same_end);
  add('+', after, first, after.size() - same_end);
  add(' ', before, before.size() - same_end, before.size() - same_end + to);
  return fmt::format("--- {0}\n+++ {0} (mutant: {1})\n@@ -{2},{3} +{2},{4} @@\n{5}", mutant.file, mutant.kind, from + 1,
                     before.size() - same_end + to - from, after.size() - same_end + to - from, body);
}

std::string title(const KernelMutant& mutant) {
  return fmt::format("{}:{} in {}: {}", mutant.file, mutant.line, mutant.function, mutant.kind);
}

}  // namespace assay
