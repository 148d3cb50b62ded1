// A hint that explains one failing case is none where it leaves another one unexplained.
#pragma once

#include <vector>

#include "harness/result/row.h"

namespace assay {

// Takes the hint of a shrunk failure away, unless every case of `rows` in which the same variant has wrong values has a
// hint with the same declaration. Cases for which declarations are not tried, because they are too large, do not count.
void drop_partial_hint(const std::vector<ResultRow>& rows, ResultRow& shrunk);

}  // namespace assay
