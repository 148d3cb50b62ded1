// Comparing a hint with those of the other cases.
#include "harness/search/partial_hints.h"

#include <algorithm>

#include "harness/judge/hint.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"

namespace assay {

void drop_partial_hint(const std::vector<ResultRow>& rows, ResultRow& shrunk) {
  const std::vector<std::string> declared = hinted_declarations(shrunk.detail);
  if (declared.empty()) return;
  const bool is_whole = std::ranges::all_of(rows, [&](const ResultRow& row) {
    const bool has_wrong_values = row.verdict == Kind::mismatch || row.verdict == Kind::nonfinite;
    if (!has_wrong_values || row.c.op != shrunk.c.op || row.c.variant != shrunk.c.variant) return true;
    if (!judge::is_diagnosed(*find_op(row.c.op), row.c)) return true;
    const std::vector<std::string> others = hinted_declarations(row.detail);
    return std::ranges::find(others, declared.front()) != others.end();
  });
  if (is_whole) return;
  shrunk.detail = without_hint(shrunk.detail);
  for (Finding& finding : shrunk.findings) finding.detail = without_hint(finding.detail);
}

}  // namespace assay
