// Makes a function for a whole block of threads out of the code of one: loops over threads around the pieces, and what
// happens between them.
//
//   whole block               by warps
//   piece 1, all threads      for each warp: piece after piece up to a barrier or the end,
//   barrier                                  with warp operations between them
//   piece 2, all threads      barrier
//   …                         …
#pragma once

#include "harness/simt/regions/contexts.h"
#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/uniformity.h"

namespace assay::regions {

// Rewrites the function; its threads' code is gone afterwards. `group` is the group of its loops.
void make_loops(llvm::Function& function, llvm::BasicBlock* prologue, const Pieces& pieces, const Contexts& contexts,
                const Uniformity& uniformity, Group group);

}  // namespace assay::regions
