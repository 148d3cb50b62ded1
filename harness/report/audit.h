// The sensitivity audit over many cases: which mutants an op × dtype would have let pass, and how often.
//
// In ops on quantised blocks each format is audited by itself, as each dtype is: an attribute `format` says which.
//
// A single case may be blind to a mutant for good reason (one column: zeros are right). An op × dtype that is
// blind to the same one in more than a tenth of the cases where it differs has a test that could not fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/result/row.h"

namespace assay {

// How often a judge that is blind in a tenth of all cases may be called blind more often, by the cases that it was
// shown.
constexpr double kAuditChance = 0.01;

struct AuditEntry {
  std::string op;
  DType dtype = DType::f32;
  std::string format;  // empty for most ops
  std::string mutant;
  int64_t cases = 0;                       // in which the mutant differs from the right output
  int64_t blind = 0;                       // of those, where the judge accepted it
  const ResultRow* first_blind = nullptr;  // in the order of `rows`; points into them

  // Blind in more than a tenth of the cases, and more often than chance explains (kAuditChance, binomial).
  bool mistrusted() const;
};

std::vector<AuditEntry> audit(const std::vector<ResultRow>& rows);  // sorted by op, dtype, format, mutant

// One row with Kind::mistrusted for each mistrusted entry: its case line is the first blind case, its detail the
// counts.
std::vector<ResultRow> mistrusted_rows(const std::vector<ResultRow>& rows);

}  // namespace assay
