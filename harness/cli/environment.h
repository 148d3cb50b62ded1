// Where a run takes place: what run.json holds besides the results.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

// Version, the current folder and its repository's git commit, host, compiler, start time (now) and the command as
// typed.
RunInfo describe_environment(const std::vector<std::string>& command);

// Of the bytes of this program, its libraries and the kernels that are loaded: "6f0c…", 16 digits.
std::string program_digest();

// Adds the GPU that a run with the device gpu uses first, and the vendor's libraries that are there.
void describe_gpu(RunInfo& info);

}  // namespace assay
