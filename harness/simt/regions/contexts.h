// Finds what lives across the points of a kernel, and gets it over them.
//
// A value that is needed behind a point is computed again there if that is cheap, moved into the prologue if it is the
// same for the block and touches no memory, or else given a slot: one for each thread, or a single one if the value is
// uniform. A local array that is used on both sides of a point has a place for each thread, too.
#pragma once

#include <memory>
#include <vector>

#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/uniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

// A variable in the function's frame that holds one value, until the loops over threads are made.
struct Slot {
  llvm::AllocaInst* variable;
  bool is_uniform;
  uint64_t offset = 0;                        // in the context, where each thread has one
  llvm::SmallVector<unsigned, 4> lives = {};  // numbers of the points behind which it is needed

  bool lives_behind(unsigned point) const { return llvm::is_contained(lives, point); }
};

struct LocalArray {
  llvm::AllocaInst* variable;
  uint64_t offset, stride;  // thread t has the bytes from offset + t * stride on
};

struct Contexts {
  std::vector<Slot> slots;
  std::vector<LocalArray> arrays;
  uint64_t bytes = 0;  // of the context
};

// Changes the function such that no value is used behind a point which was computed in front of it, except for the
// prologue's. `warp` is nullptr for a kernel without warp operations.
Contexts make_contexts(llvm::Function& function, llvm::BasicBlock* prologue, const Pieces& pieces,
                       const Uniformity& block, const Uniformity* warp);

}  // namespace assay::regions
