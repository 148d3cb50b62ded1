// The loops over threads around one piece.
#pragma once

#include "harness/simt/regions/piece_copy.h"

namespace assay::regions {

// Runs the piece for each thread of the group: for each of its segments, a counted loop. Starts in `from`, which is
// empty, and goes to `to` when all threads have run.
void loop_over_threads(const PieceCopy& copy, llvm::Value* group, bool is_warp, llvm::BasicBlock* from,
                       llvm::BasicBlock* to);

}  // namespace assay::regions
