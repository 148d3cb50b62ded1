// `assay replay --under TOOL`: the replay in one process, watched by a debugger, a sanitizer or a profiler.
#pragma once

#include "harness/base/error.h"
#include "harness/cli/cli.h"

namespace assay {

// Becomes gdb. Does not return unless it cannot be started.
Error replace_by_gdb(const ReplayArguments& arguments);

// Runs the replay under the tool of gpu_tools.h that `arguments.under` names, passes on what it prints, and reports
// what it found. The exit code is that of the replay, or 1 when the tool found something or could not work.
Result<int> run_under_gpu_tool(const ReplayArguments& arguments);

}  // namespace assay
