// Reading the body of a function.
#pragma once

#include <set>

#include "harness/ptx/cursor.h"

namespace assay::ptx {

// Reads from behind the opening brace to behind the closing one; fills registers, variables and blocks. `known`: the
// names that the module has declared so far.
void read_body(Cursor& cursor, Module& module, Function& function, const std::set<std::string, std::less<>>& known);

}  // namespace assay::ptx
