// Launches that are run to prove that nothing is wrong with them: split kernels (../regions) with checks inside.
//
// The checks miss nothing that the checked build (../checked) finds by default, but say only whether they have proven
// that there is nothing to find. Where they have not, the caller runs the case again in the checked build, which says
// what is wrong. What they do not understand (atomics, memory that no buffer holds, order by warp operations alone) is
// not proven.
//
// A launch that is proven has no atomics and no race, so that every schedule of its threads computes what this one did.
#pragma once

#include "harness/simt/checked/arena.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/module.h"

namespace assay::simt::sieve {

// Buffers are those of the arena. False: nothing can be proven of this launch.
bool begin_launch(const Launch& shape, const Module& module, const checked::Arena& arena);
void begin_block();
void end_case();  // before the arena forgets its buffers

}  // namespace assay::simt::sieve
