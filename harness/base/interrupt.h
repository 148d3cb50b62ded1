// Ctrl-C as a flag: the first one asks the program to end and keep what it has, the second one kills it.
#pragma once

#include <atomic>

namespace assay {

// Installs the handler for SIGINT and SIGTERM on first use.
const std::atomic<bool>& interrupted_flag();

bool was_interrupted();  // without installing it

}  // namespace assay
