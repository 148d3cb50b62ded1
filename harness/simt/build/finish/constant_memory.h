// Gathers the __constant__ variables of a module in one section, so that the checks know who writes there.
//
// `__constant__` is the attribute `retain` to the compiler (include/simt/qualifiers.h): other than a section's name it
// may differ between a declaration and a definition, and may stand at constant and at changeable variables alike. A
// variable that has it lies in a section of its own whose flags have an R. Variables that are `const` in C++, too, stay
// in sections that nobody can write.
#pragma once

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

void gather_constants(Assembly& assembly);

}  // namespace assay::simt::finish
