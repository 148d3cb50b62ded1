// Loads that a compiler has moved in front of the condition under which the source reads.
//
// nvcc turns `if (p) x = shared[i];` into a load that every thread makes and a selp that drops it where p is false. No
// thread but those of the condition reads there by the source, and a race or a missing value of such a load would be
// one of the compiler's. So a load whose only use is a selp is made there, under the selp's condition.
#pragma once

#include "harness/ptx/module.h"

namespace assay::ptx {

// The function with each such load in front of its selp, and guarded. A load stays where it is if something between the
// two may order memory, write it, or branch, or changes its address.
Function without_speculation(Function function);

}  // namespace assay::ptx
