// A baseline: what a run measured, in one file that git can hold. `reports/baseline/<gpu>.json` has that of a GPU.
#pragma once

#include <string>

#include "harness/base/error.h"
#include "harness/report/report.h"

namespace assay::comparison {

// The run with what comparing needs of its rows: cases, verdicts, figures, resources and times, and neither findings
// nor maps. {"schema": 1, "run": {run.json}, "rows": [a row each]}, a row to a line.
std::string baseline_text(const Report& report);
Result<Report> report_of_baseline(const std::string& text);

// "reports/baseline/nvidia_h200.json": of the GPU that the run used, else of its device.
std::string baseline_path(const RunInfo& info);

}  // namespace assay::comparison
