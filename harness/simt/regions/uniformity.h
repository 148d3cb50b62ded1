// Finds what is the same in all threads of a block, or in all lanes of a warp: LLVM's analysis, told what our calls and
// memory mean.
//
// Uniform are arguments, blockIdx, blockDim, gridDim, votes, and what is computed from uniform values. A load is
// uniform if its address is and nothing that a thread may do in the same piece writes there: then every thread of the
// group reads the same, in whatever order they run. For a warp threadIdx.y and .z are uniform too, and threadIdx.x
// without its last five bits; so a launch of such a kernel needs a blockDim.x that is a multiple of 32.
#pragma once

#include <memory>

#include "harness/simt/regions/pieces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/CycleAnalysis.h"

namespace assay::regions {

enum class Group { block, warp };

class Uniformity {
 public:
  Uniformity(llvm::Function& function, const Pieces& pieces, Group group);

  bool is_uniform(const llvm::Value* value) const;
  // Whether threads of the group may part at the block's end.
  bool divides(const llvm::BasicBlock* block) const { return divided_.contains(block); }
  // Whether only some threads of the group that have not returned may come to the block: it lies between a branch that
  // divides them and where they meet again.
  bool is_divided(const llvm::BasicBlock* block) const { return inside_.contains(block); }

 private:
  void forget_values_behind(const llvm::Cycle& cycle);
  void find_inside(llvm::Function& function, const Pieces& pieces);

  llvm::DenseSet<const llvm::Value*> uniform_;
  llvm::DenseSet<const llvm::BasicBlock*> divided_, inside_;
};

}  // namespace assay::regions
