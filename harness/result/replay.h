// The command that runs a row's case again.
#pragma once

#include <string>

#include "harness/result/row.h"

namespace assay {

// A command for a POSIX shell in any folder: on the same device, with the files and options that the row's kernel and
// op were made from.
std::string replay_command(const ResultRow& row);

}  // namespace assay
