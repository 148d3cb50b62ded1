// Reading what declares: variables, parameters, places of the source.
#pragma once

#include "harness/ptx/cursor.h"

namespace assay::ptx {

// The variables of one declaration, from behind ".shared" or its like up to its semicolon.
std::vector<Variable> read_variables(Cursor& cursor, Space space, bool is_extern);

// "(.param .u64 .ptr .align 1 a, …)"; none where there is no bracket.
std::vector<Variable> read_parameters(Cursor& cursor);

// The location of a .loc directive, which the cursor has passed; where it was inlined is looked up in `module`.
Location read_location(Cursor& cursor, const Module& module);

// The space that a directive names; Space::generic for any other.
Space space_of(std::string_view directive);

}  // namespace assay::ptx
