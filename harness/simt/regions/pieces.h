// Where a kernel is cut: points at which threads meet, and between them pieces, the code that a thread runs without
// meeting anybody.
//
// The piece of a point is all code that can be reached from it without passing another point. Pieces overlap where
// control flow joins; each gets its own copy. So a thread runs from one meeting to the next without a stop, as a fiber
// does, and whatever the order of threads, the split kernel computes what fibers in that order compute.
#pragma once

#include <memory>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

inline constexpr unsigned kReturned = 0;  // the place of a thread that has returned; points are numbered from 1

struct Point {
  enum Kind { entry, barrier, collective } kind = entry;
  unsigned number = 1;
  llvm::CallInst* call = nullptr;     // at the end of `block`; nullptr for the entry
  llvm::BasicBlock* block = nullptr;  // after which threads meet; the prologue for the entry
  llvm::BasicBlock* start = nullptr;  // where they go on
  llvm::SmallSetVector<llvm::BasicBlock*, 16> piece;
  llvm::SmallSetVector<unsigned, 4> ends;  // the numbers of the points that end the piece, or kReturned
};

struct Pieces {
  std::vector<std::unique_ptr<Point>> points;  // by number, from 1 on; the first is the entry
  bool has_barriers = false, has_collectives = false;

  const Point& point(unsigned number) const { return *points[number - 1]; }
  // The point at which the block ends; nullptr for a block that goes on.
  const Point* ending(const llvm::BasicBlock* block) const;
};

// Cuts blocks behind each barrier and warp operation of the function, and finds the pieces.
Pieces cut(llvm::Function& function, llvm::BasicBlock* prologue);

}  // namespace assay::regions
