// The table of `assay sharpness --ranges`, as text and as the page reports/measured keeps.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/search/range_survey.h"

namespace assay {

// A line for each op and function: its least and largest argument, and in how many cases of each dtype every interval
// was reached. Says where one is missed, and the contract's reason.
std::string range_table(const std::vector<OpRanges>& ranges);

std::string range_page(const std::vector<OpRanges>& ranges, const SharpnessArguments& arguments);  // in Markdown

}  // namespace assay
