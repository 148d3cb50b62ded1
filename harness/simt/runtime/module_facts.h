// Finds what the build has written of a kernel (include/simt/module.h).
#pragma once

#include "harness/simt/include/simt/module.h"

namespace assay::simt {

// Zeros where nothing is known of the function. Modules stay loaded.
FunctionFacts facts_of(const Module& module, const void* function);

}  // namespace assay::simt
