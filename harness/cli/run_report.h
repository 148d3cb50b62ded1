// The files that `assay run --out` leaves of a run beside its findings: report.html for people, and with --stats a table of what
// kernels did to memory.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/run_findings.h"

namespace assay {

struct ProgramRun {
  std::string folder;                // with the rows of the program's processes
  std::vector<std::string> program;  // and its arguments
  int code = 0;                      // that it ended with
  std::vector<RunFinding> findings;
};

// Writes FOLDER/report.html. Errors: it cannot be written.
Result<void> write_run_page(const ProgramRun& run);

// Writes FOLDER/statistics.csv, a row for each kernel and for each of its source lines.
Result<void> write_statistics(const std::string& folder, const AccessStatistics& statistics);

}  // namespace assay
