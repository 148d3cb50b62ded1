// The plan of a bench: which variants meet in which cases.
#pragma once

#include <string>
#include <vector>

#include "harness/op/variant.h"
#include "harness/result/row.h"
#include "harness/search/generate.h"
#include "harness/search/suite.h"

namespace assay {

// Variants that meet in one case, and what the case stands for.
struct BenchCase {
  Case c;                                  // its variant is kEveryVariant
  std::vector<BenchLine> stands_for;       // the suite's lines; more than one where several become the same small case
  std::vector<const Variant*> candidates;  // sorted by name
};

struct BenchPlan {
  std::vector<BenchCase> cases;    // in the suite's order
  std::vector<ResultRow> skipped;  // lines that were left out, as rows with the reason
};

// The variants of `device` that `select` (empty: the suite's own) chooses, in the suite's lines of their ops. A
// vendor's variants are candidates wherever one of ours is, because a time says little without theirs. Errors: a
// pattern that selects nothing, a suite without lines for what is selected.
Result<BenchPlan> plan_bench(const Suite& suite, const std::vector<std::string>& select, const std::string& device);

// The same plan with every case scaled down to `limits` (scale_down.h). Cases that cannot be are skipped.
BenchPlan scaled_down(BenchPlan plan, const GenerateLimits& limits, const std::string& device);

}  // namespace assay
