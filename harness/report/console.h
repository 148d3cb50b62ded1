// The summary that `assay check` and `assay bench` print at the end.
#pragma once

#include <string>

#include "harness/base/terminal.h"
#include "harness/report/report.h"

namespace assay {

// As wide as the terminal, but for lines to be copied (a case line, a replay command), which are never broken. One
// block for each cause (causes.h) shows its first case in full and names a few of the others.
std::string summary_text(const Report& report, const Terminal& terminal = {});

}  // namespace assay
