// Compares what a launch has left in memory with what a file says that it left in the program's run.
#pragma once

#include <string>
#include <string_view>

#include "harness/program/saved_launch.h"

namespace assay {

// A sentence on bytes that are otherwise than they were, "" where none is. `written`: by this launch. The memory lies
// at its address.
std::string difference_in(const SavedMemory& memory, const std::vector<ByteRange>& written);
// The same for a variable, with what it holds now.
std::string difference_in(const SavedVariable& variable, std::string_view now);

}  // namespace assay
