// Makes what a kernel file defines its own, so that files with equally named kernels can be linked into one library.
//
// C++ would have the linker choose one of two equal names: templates and inline functions are weak and stand in groups
// of which it keeps one, other functions it refuses. Here every definition becomes a local symbol. Only what was made
// visible on purpose stays global: under -fvisibility=hidden that is a strong symbol that is not hidden.
#pragma once

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

void make_symbols_local(Assembly& assembly);

// Whether the directive says who may see a symbol.
bool states_visibility(std::string_view directive);

}  // namespace assay::simt::finish
