// Access statistics as tables of plain text.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/result.h"

namespace assay {

// One run in full: a paragraph for each kernel, and a line for each source line, most bytes first.
std::string line_tables(const AccessStatistics& statistics);

// Many runs in short: a line for each kernel in the largest case of each variant and dtype (summary.h). "" when nothing
// was counted.
std::string kernel_table(const std::vector<ResultRow>& rows);

// The same for a single run, without the heading: a line for each kernel, and below it what ptxas says of it, where its
// resources are known.
std::string kernel_heading();
std::string kernel_rows(const AccessStatistics& statistics);

}  // namespace assay
