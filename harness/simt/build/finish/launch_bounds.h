// Reads __launch_bounds__ out of the assembly.
//
// No attribute carries a number from a function's declaration to its kernel's launch but patchable_function_entry, with
// which qualifiers.h asks for as many bytes of nops in front of the function as it may have threads. They are counted
// and taken out again, and so is the compiler's table of their places.
#pragma once

#include <unordered_map>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

// The most threads of a block that each function declares; functions that declare none are not in it.
std::unordered_map<std::string_view, uint64_t> take_launch_bounds(Assembly& assembly);

}  // namespace assay::simt::finish
