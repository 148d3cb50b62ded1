// The ranges that an op's random cases reach, from its reference alone: no kernel runs.
//
// A suite whose data never leave the range in which all formulas of a function agree finds no mistake in them. So
// every interval (ranges.h) that is due must be reached in each dtype, or the contract says why it cannot be
// (Contract::out_of_reach). Of composites nothing is due: each of their steps is an op with data of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/ranges.h"
#include "harness/search/suite.h"

namespace assay {

struct OpRanges {
  const Contract* op;
  std::vector<Ranges> by_dtype;  // in the order of the op's dtypes
};

// Over the first random cases of each dtype, so many, within the suite's limits.
OpRanges ranges_of(const Contract& op, const SuiteCounts& counts, uint64_t seed, int64_t cases);

bool is_due(const OpRanges& ranges, size_t dtype, Watched what, size_t interval);

// Whether an interval is due and was not reached.
bool is_missed(const OpRanges& ranges, size_t dtype, Watched what, size_t interval);

// The contract's reason why an interval is out of reach; null where it gives none.
const OutOfReach* why_out_of_reach(const Contract& op, Watched what, std::string_view interval);

struct RangeTotals {
  int64_t functions = 0, due = 0, reached = 0, out_of_reach = 0;  // intervals count once for each dtype
  int64_t missed() const { return due - reached - out_of_reach; }
};
RangeTotals totals_of(const std::vector<OpRanges>& ops);

// Lists the intervals that are missed without a reason, and the reasons for intervals that no dtype misses or that no
// function has, a line each: "softmax_forward f16, exponent (x of exp(x)): no case has 'exp is 0'".
std::vector<std::string> mistakes_of_ranges(const OpRanges& ranges);

}  // namespace assay
