// The summary that `assay check` and `assay report` print at the end.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace assay {

// Plain text without colours, at most 100 columns, but for lines to be copied (a case line, a replay command), which
// are never broken. One block per group of like failures shows its first case in full and names a few of the others.
std::string summary_text(const Report& report);

}  // namespace assay
