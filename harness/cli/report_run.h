// Makes the reports of `assay report` for other commands.
#pragma once

#include "harness/cli/cli.h"
#include "harness/report/report.h"

namespace assay {

// Reads the runs, writes the formats that were asked for, and returns what was shown.
Result<Report> write_reports(const ReportArguments& arguments);

// Adds earlier runs: trends of the history, saved failures, and what got worse since the runs that are compared.
Result<void> add_over_time(Report& report, const ReportArguments& arguments);

}  // namespace assay
