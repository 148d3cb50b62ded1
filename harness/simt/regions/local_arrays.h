// Local arrays: which of them keep something across a point.
#pragma once

#include <vector>

#include "harness/simt/regions/pieces.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

// Those that are used on both sides of some point. An array whose address is stored, or handed to a function that may
// keep it, counts as used everywhere.
std::vector<llvm::AllocaInst*> arrays_that_cross(llvm::Function& function, const Pieces& pieces);

}  // namespace assay::regions
