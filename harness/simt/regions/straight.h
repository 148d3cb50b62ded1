// Copies of a piece for what is usual: `if (x < width && y < height)` is true for all threads of most blocks, and
// `for (step = 0; step < 32; step += blockDim.y)` has one turn or four. Without these the piece is code in one line,
// and the loop over threads around it one that LLVM makes vectors of.
//
// Whether it is so is asked when the piece begins, by code in front of its loop (ranges.h); otherwise the loop of the
// piece as it stands runs. Both compute the same, threads one after another.
#pragma once

#include "harness/simt/regions/ranges.h"

namespace assay::regions {

struct Straight {
  // A branch, and the condition's value.
  struct Decided {
    const llvm::BranchInst* branch;
    bool is_true;
  };
  llvm::SmallVector<Decided> ways;
  llvm::Value* holds = nullptr;                 // i1: all threads go these ways
  llvm::LoadInst* size = nullptr;               // the block's size by which loops count; nullptr: there are no loops
  llvm::SmallSetVector<llvm::Value*, 2> steps;  // the same in the widths of the loops' counters
  llvm::SmallVector<llvm::ConstantInt*> sizes;  // those that have copies
  size_t copies() const { return size == nullptr ? 1 : sizes.size(); }
};

// Nothing: no copy is without branches, or the piece is so already.
std::optional<Straight> straight(Ranges& ranges, llvm::IRBuilder<>& builder);

}  // namespace assay::regions
