// Puts calls in front of a kernel's accesses that look whether they are right: for kernels that are run to prove that
// nothing is wrong with them (../sieve).
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::regions {

// Whether the module is compiled with ../sieve/checks.h, whose functions are called.
bool wants_checks(const llvm::Module& module);

// Whether it is a call of these functions.
bool is_check(const llvm::Instruction& i);

// Makes calls of the branches to traps, in the code of one thread.
void straighten_traps(llvm::Function& function);
// Drops those that ask for the alignment of the executor's own records, once its code is simplified.
void drop_checks_of_records(llvm::Function& function);

// The values of kTimes now.
llvm::SmallVector<llvm::Value*, 4> load_times(llvm::IRBuilder<>& builder);

// In the code of one thread, before its loops are made. What the checks do not understand gets a call that gives up.
void insert_checks(llvm::Function& function, llvm::BasicBlock* prologue);

}  // namespace assay::regions
