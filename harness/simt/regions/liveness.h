// Which values a function still needs behind a block. The values of its first block, the prologue, are always there and
// do not count.
#pragma once

#include <vector>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace assay::regions {

class Liveness {
 public:
  Liveness(llvm::Function& function, const llvm::BasicBlock& prologue);

  // In the order of the function's code.
  std::vector<llvm::Instruction*> behind(const llvm::BasicBlock* block) const;

 private:
  llvm::BitVector out_of(const llvm::BasicBlock& block) const;
  void use(llvm::BitVector& live, const llvm::Value* operand) const;
  bool update(const llvm::BasicBlock& block);

  std::vector<llvm::Instruction*> values_;
  llvm::DenseMap<const llvm::Value*, unsigned> number_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> in_;
};

}  // namespace assay::regions
