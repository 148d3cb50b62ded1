// The figures of a candidate's samples, on its row.
#pragma once

#include <vector>

#include "harness/bench/roofs.h"
#include "harness/op/variant.h"
#include "harness/result/row.h"

namespace assay::bench {

// Every figure that follows from the row's own samples, those of all its processes, and the roof that bounds it. Where
// there are too few processes for an interval, a hint says so.
void add_figures(ResultRow& row, const Cost& cost, const Roofs& roofs);

// Compares every row that passes with the fastest of the vendor's that do: how many times faster it is, and notes where
// no library computes the op. Rows of one case, whose variants took turns; rows[i] is of variants[i].
void compare_with_vendors(const std::vector<ResultRow*>& rows, const std::vector<const Variant*>& variants);

}  // namespace assay::bench
