// How a run begins and ends: its folder is taken, its report is written, and its exit code follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/places.h"
#include "harness/report/run_folder.h"

namespace assay {

// Takes the folder `out` for a run, and prints which one it is instead where another run has that. A command does so
// before it reads, compiles or starts anything: until then a killed process leaves what looks like its results.
Result<RunFolder> open_run_folder(const std::string& out, const std::vector<std::string>& command);

// The same for a command that has not done so, once it finds its other places usable (try_places).
template <class Arguments>
Result<void> take_folder(Arguments& arguments, const std::vector<std::string>& command) {
  if (arguments.folder) return {};
  if (auto tried = try_places(arguments); !tried) return tried;
  if (!goes_to_out(arguments)) return {};
  arguments.folder = std::make_shared<RunFolder>(ASSAY_TRY(open_run_folder(arguments.out, command)));
  return {};
}

// Takes the folder of a run that ended early for the same run, which goes on: with the same plan, shard and program, or
// it is an error. `earlier` gets the rows that need not be run again, by place; `info` when the run began.
Result<RunFolder> resume_run(const std::string& directory, RunInfo& info, std::map<int64_t, ResultRow>& earlier);

int exit_code(const Report& report);

// Writes the report to `out`, or elsewhere when that fails; prints what `shown` has of it as it was written, and where
// it is; returns its exit code.
int finish_run(Report report, const std::string& out, const std::function<std::string(const Report&)>& shown);

}  // namespace assay
