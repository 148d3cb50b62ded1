// Counts the sensitivity audit's probes per op × dtype × format × mutant.
#include "harness/report/audit.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

namespace assay {

bool AuditEntry::mistrusted() const {
  if (blind * 10 <= cases) return false;
  const auto n = static_cast<double>(cases);
  double at_least_as_blind = 0;  // the probability of so many blind cases, or more, at a rate of a tenth
  for (int64_t b = blind; b <= cases; ++b) {
    const auto k = static_cast<double>(b);
    at_least_as_blind += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(0.1) +
                                  (n - k) * std::log(0.9));
  }
  return at_least_as_blind < kAuditChance;
}

static std::string format_of(const Case& c) {
  const std::string* const format = c.find("format");
  return format ? *format : std::string();
}

std::vector<AuditEntry> audit(const std::vector<ResultRow>& rows) {
  std::map<std::tuple<std::string, DType, std::string, std::string>, AuditEntry> entries;
  for (const ResultRow& row : rows) {
    for (const SensitivityProbe& probe : row.sensitivity) {
      AuditEntry& entry = entries[{row.c.op, row.c.dtype, format_of(row.c), probe.mutant}];
      ++entry.cases;
      if (probe.noticed) continue;
      ++entry.blind;
      if (!entry.first_blind) entry.first_blind = &row;
    }
  }
  std::vector<AuditEntry> sorted;
  for (auto& [key, entry] : entries) {
    std::tie(entry.op, entry.dtype, entry.format, entry.mutant) = key;
    sorted.push_back(std::move(entry));
  }
  return sorted;
}

std::vector<ResultRow> mistrusted_rows(const std::vector<ResultRow>& rows) {
  std::vector<ResultRow> mistrusted;
  for (const AuditEntry& entry : audit(rows)) {
    if (!entry.mistrusted()) continue;
    const ResultRow& blind = *entry.first_blind;
    ResultRow row;
    row.c = blind.c;
    row.device = blind.device;
    row.origin = blind.origin;
    row.decide(
        Kind::mistrusted,
        fmt::format(
            "{} {}{}{} is blind to '{}': its error budget accepts this mutant in {} of the {} cases where it differs "
            "from the right output (a tenth is allowed, and what chance adds to it); this case is the first{}",
            entry.op, name(entry.dtype), entry.format.empty() ? "" : " ", entry.format, entry.mutant, entry.blind,
            entry.cases, blind.origin.ops.empty() ? "" : "; `assay new-op --help` says what an op's author can do"));
    row.findings.back().subject = entry.mutant;
    mistrusted.push_back(std::move(row));
  }
  return mistrusted;
}

}  // namespace assay
