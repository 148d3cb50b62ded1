// Threads that have nothing to do in a piece, by a condition on their index behind others that are the same for all:
//
//   for (int stride = 128; stride > 0; stride /= 2) { if (t < stride) …; __syncthreads(); }
//
// guards.h finds such a condition at a piece's begin, without code in front of its loop.
#pragma once

#include "harness/simt/regions/ranges.h"

namespace assay::regions {

// All others do what the first of them does, and it is nothing but to store what is the same for all. `end` has 64
// bits.
struct Working {
  bool is_linear;  // the index is the thread's number; otherwise threadIdx.x
  llvm::Value* end;
};

std::optional<Working> working_threads(llvm::IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts);

}  // namespace assay::regions
