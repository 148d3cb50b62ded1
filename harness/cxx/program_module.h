// From the device code that a program carries to a module of the executor.
#pragma once

#include <set>
#include <string>

#include "harness/base/error.h"

namespace assay::cxx {

// The module with all kernels of the device code in `file` (device_code.h), linked where it is of several files.
// `variables`: the symbols of those that the program's host code knows. `build`: fast or checked, or counting, which is
// checked: instructions are PTX's. Returns the module's path.
// Errors: the code does not compile or link for the executor, with the compiler's words.
Result<std::string> program_module(const std::string& file, const std::string& build,
                                   const std::set<std::string>& variables);

}  // namespace assay::cxx
