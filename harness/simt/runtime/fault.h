// Ends a block at an access that a signal handler has caught, as a finding instead of the end of the process.
#pragma once

#include <string>

#include "harness/simt/runtime/finding.h"

namespace assay::simt {

// For the handler of a fault (its ucontext_t*) that a thread of a kernel has caused: records the finding, with the
// thread and the kernel's line, and makes the thread leave its block for good when the handler returns. False, and
// nothing is done, where no kernel's code runs, or where this build cannot (processors other than x86-64). Not for
// signals that come at any time: it allocates.
__attribute__((visibility("default"))) bool stop_at_fault(void* signal_context, Kind kind, const std::string& what);

}  // namespace assay::simt
