// Where a run takes place: what run.json says besides the results.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

// Version, git commit of the current folder's repository, host, compiler, start time (now) and the command as typed.
RunInfo describe_environment(const std::vector<std::string>& command);

// The GPU that a run with the device gpu uses first; nothing where there is none.
std::optional<GpuInfo> describe_gpu();

}  // namespace assay
