// Which memory an access may touch, by where its address comes from.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

struct Memory {
  enum Kind {
    local,     // an array of one thread
    shared,    // of the block
    constant,  // that nobody writes while the kernel runs
    global,    // that an argument or a variable of the module names
    unknown,
  } kind;
  const llvm::Value* object;
};

// All that the address may point to.
llvm::SmallVector<Memory, 4> memory_at(const llvm::Value* address);
bool may_overlap(const Memory& a, const Memory& b);

// Adds the memory that the instruction may write, as far as other threads see it. False: none. True with an empty list:
// any.
bool writes(const llvm::Instruction& instruction, llvm::SmallVectorImpl<Memory>& written);

// Whether the function writes into the executor's state of the block, which kernels do for votes alone.
bool writes_block(const llvm::Function& function);

}  // namespace assay::regions
