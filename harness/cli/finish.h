// How a run begins and ends: its folder is taken, its report is written, and its exit code follows from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/report/run_folder.h"

namespace assay {

// Takes the folder `out` for a run, and prints which one it is instead where another run has that.
Result<RunFolder> open_run_folder(const std::string& out, const RunInfo& info);

// Takes the folder of a run that ended early for the same run, which goes on: with the same plan, shard and program, or
// it is an error. `earlier` gets the rows that need not be run again, by place; `info` when the run began.
Result<RunFolder> resume_run(const std::string& directory, RunInfo& info, std::map<int64_t, ResultRow>& earlier);

int exit_code(const Report& report);

// Writes the report to `out` (elsewhere when that fails), prints where it is and returns the exit code. `rows_lost`:
// rows could not be streamed there while the run went on.
int finish_run(const Report& report, const std::string& out, bool rows_lost);

}  // namespace assay
