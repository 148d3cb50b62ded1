// One kernel, from its code for one thread to a function for a block; or why not.
#pragma once

#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Passes/PassBuilder.h"

namespace assay::regions {

struct Split {
  llvm::Function* function = nullptr;  // of the kernel's type; nullptr: refused
  std::string refused;
  bool by_warps = false, checks = false;
  unsigned pieces = 0;
  size_t instructions = 0;  // in all pieces
  size_t slots = 0, uniform_slots = 0;
  uint64_t context_bytes = 0;
};

Split split(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, llvm::PassBuilder& passes);

}  // namespace assay::regions
