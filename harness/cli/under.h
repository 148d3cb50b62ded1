// `assay replay --under TOOL`: becomes the tool, which runs the replay in one process.
#pragma once

#include "harness/base/error.h"
#include "harness/cli/cli.h"

namespace assay {

// Does not return unless the tool cannot be started.
Error replace_by_tool(const ReplayArguments& arguments);

}  // namespace assay
