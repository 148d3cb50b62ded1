// Coverage of the user's kernels as plain text.
#pragma once

#include <string>

#include "harness/adapter/build/coverage/coverage.h"

namespace assay {

// The totals, and a line for each place that is not covered, at most `lines_max`.
std::string coverage_text(const Coverage& coverage, size_t lines_max = 40);

// Where it stands, as FILE:LINE, from the folder that assay runs in, where the file lies below it.
std::string place_of(const UncoveredLine& line);

// "never ran", or "1 of 2 ways, in 812 passes".
std::string words_of(const UncoveredLine& line);

// "reached by op/variant f32 …", "decided by cols, 4096; not reached by other values of cols, block"; "" where no case
// was aimed at it.
std::string aimed_words_of(const UncoveredLine& line);

// "Of these lines 2 were reached by some of 88 further cases, which were aimed at them."; "" where there are none.
std::string aimed_line(const Coverage& coverage);

}  // namespace assay
