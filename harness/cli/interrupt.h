// Ctrl-C as a flag: the first one asks the run to end and keep what it has, the second one kills the program.
#pragma once

#include <atomic>

namespace assay {

const std::atomic<bool>& interrupted_flag();  // installs the handler for SIGINT and SIGTERM on first use

}  // namespace assay
