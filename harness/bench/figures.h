// The figures of a candidate's samples, on its row.
#pragma once

#include <cstdint>

#include "harness/bench/roofs.h"
#include "harness/result/row.h"

namespace assay::bench {

// Every figure that follows from the row's own samples, and the roof that bounds it.
void add_figures(ResultRow& row, const Cost& cost, const Roofs& roofs);

// Fills in how many times faster `row` is than the vendor's, which was measured interleaved with it.
void compare_with_vendor(ResultRow& row, const ResultRow& vendor, uint64_t seed);

}  // namespace assay::bench
