// How a run ends: its report is written, and its exit code follows from it.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace assay {

// Writes the report to `out` (elsewhere when that fails), prints where it is and returns the exit code. `rows_lost`:
// rows could not be streamed there while the run went on.
int finish_run(const Report& report, const std::string& out, bool rows_lost);

}  // namespace assay
