// Shrinking: from a failing case to the smallest one that fails in the same way.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"
#include "harness/result/row.h"

namespace assay {

// Cases one step simpler than `c`, most drastic first: dims towards their minimum, then attributes, dtype, block,
// grid, offset, schedule, fill and seed towards their first choice; last, one dim at its minimum and another longer
// instead. Never contains `c`; every path of steps ends.
std::vector<Case> simpler_cases(const Contract& contract, const Variant& variant, const Case& c);

// The last phase: the same case with fewer non-zero elements, fewest first.
std::vector<Case> simpler_data(const Contract& contract, const Case& c);

struct ShrinkBudget {
  std::chrono::steady_clock::time_point deadline;
  std::function<bool()> stopped;  // Ctrl-C
};

using RunCase = std::function<ResultRow(const Case&)>;

using IsSame = std::function<bool(const ResultRow&)>;  // whether a row fails as the original does

// The row of the smallest case found that fails in the same way; its shrunk_from is the original line. Nothing when
// no simpler case does. Runs candidates one after another through `run` until the budget is spent.
std::optional<ResultRow> shrink(const Contract& contract, const Variant& variant, const Case& original,
                                const IsSame& same, const RunCase& run, const ShrinkBudget& budget);

}  // namespace assay
