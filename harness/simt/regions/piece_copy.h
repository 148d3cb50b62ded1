// One piece of a kernel as the body of a loop over threads: the blocks are copied, the thread's index is the loop's,
// and values come from the context and go back to it.
#pragma once

#include "harness/simt/regions/contexts.h"
#include "harness/simt/regions/endings.h"
#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/proofs.h"
#include "harness/simt/regions/straight.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::regions {

// The thread that the body runs for, as values of the loop.
struct Thread {
  llvm::Value *x, *y, *z, *linear;
};

// Variables of the split function that pieces write, all in its frame and promoted to values at the end.
struct Outcome {
  llvm::AllocaInst* next = nullptr;    // the point at which the living threads of the group have stopped, or kReturned
  llvm::AllocaInst* exited = nullptr;  // some thread has returned
  llvm::AllocaInst* diverged = nullptr;  // two threads have stopped at different points
  // By Slot::variable: the group's value.
  llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*> uniform =
      llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*>();
};

struct PieceCopy {
  const Pieces& pieces;
  const Point& point;
  const Contexts& contexts;
  const Ending& ending;
  const Outcome& outcome;
  llvm::Value* state;                             // of the executor (state.h)
  llvm::Value* context;                           // memory
  SlotValues before = SlotValues();               // of uniform slots, before the loop
  llvm::SmallVector<llvm::Value*, 4> times = {};  // of kTimes, where the kernel has checks
  Proofs* proofs = nullptr;                       // of these
};

// Holds for all threads of a copy.
struct Settled {
  bool checks = false;                 // what proofs can settle
  const Straight* straight = nullptr;  // the ways that threads go
  llvm::ConstantInt* size = nullptr;   // Straight::size, if that is one
};

// Puts the piece between `from`, whose terminator is missing, and `latch`.
void copy_piece(const PieceCopy& copy, llvm::BasicBlock* from, llvm::BasicBlock* latch, const Thread& thread,
                const Settled& settled);

// The address of a member of the state.
llvm::Value* member(llvm::IRBuilder<>& builder, llvm::Value* state, uint64_t offset);

}  // namespace assay::regions
