// The code of one thread, ready to be split: everything that the kernel calls is inlined, and what the executor's
// headers mean to a fiber has become a call that the pass knows by name.
#pragma once

#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Passes/PassBuilder.h"

namespace assay::regions {

struct ThreadCode {
  llvm::Function* function = nullptr;  // nullptr: refused
  std::string refused;
  // The first block holds what a block of threads computes once: allocas, indices of the thread, blockIdx and its like.
  // Its successor is where threads begin.
  llvm::BasicBlock* prologue = nullptr;
};

// A copy of `kernel` in its module, prepared. `passes` parses pipelines.
ThreadCode make_thread_code(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, llvm::PassBuilder& passes);

}  // namespace assay::regions
