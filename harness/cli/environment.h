// Describes where a run takes place: the content of run.json besides the results.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

// Version, current folder, start time (now) and the command as typed: what is known at once.
RunInfo describe_command(const std::vector<std::string>& command);

// That, and the git commit of the folder's repository, host and compiler.
RunInfo describe_environment(const std::vector<std::string>& command);

// The digest of the bytes of this program, its libraries and the kernels that are loaded: "6f0c…", 16 digits.
std::string program_digest();

// Adds the GPU that a run with the device gpu uses first, and the vendor's libraries that are there.
void describe_gpu(RunInfo& info);

}  // namespace assay
