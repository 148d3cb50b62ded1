// Patterns of a thread's index that are the same in all lanes of a warp, where rows of the block are whole warps.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

// Whether the instruction computes from threadIdx.x (or the thread's number) what all lanes of a warp have alike:
// index / 32, index & ~31, index < 32 k and their like. `uniform` holds what is known to be alike.
bool same_in_warp(const llvm::Instruction& instruction, const llvm::DenseSet<const llvm::Value*>& uniform);

}  // namespace assay::regions
