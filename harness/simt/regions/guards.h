// Pieces in which only threads of some range do anything: `if (threadIdx.x < stride) …` up to the next barrier, and `if
// (threadIdx.x == 0) …`. Their loops need not visit the others. A tree reduction of 256 threads has nine pieces, in
// which 511 of 2304 visits find work.
#pragma once

#include <optional>

#include "harness/simt/regions/pieces.h"

namespace assay::regions {

// A thread works only if its index is below `bound`, or equal to it.
struct Guard {
  bool is_linear;  // the index is the thread's number; otherwise threadIdx.x
  enum Test { below_signed, below_unsigned, equal } test;
  llvm::Value* bound;  // a constant, an argument, a value of the prologue, or the load of a uniform slot's variable
};

// Nothing if other threads do something, too, or the bound is not known before the loop.
std::optional<Guard> guard_of(const Point& point, const Pieces& pieces, const llvm::BasicBlock* prologue);

}  // namespace assay::regions
