// Threads that have nothing to do in a piece, by a condition on their index, which may come behind others that are the
// same for all:
//
//   for (int stride = 128; stride > 0; stride /= 2) { if (t < stride) …; __syncthreads(); }
//
// Their loops need not visit the others. A tree reduction of 256 threads has nine pieces, in which 511 of 2304 visits
// find work.
#pragma once

#include "harness/simt/regions/endings.h"
#include "harness/simt/regions/ranges.h"

namespace assay::regions {

// Those from `begin` to `end`, numbers of 64 bits. All others do what the first of them does, and it is nothing but to
// store what is the same for all.
struct Working {
  bool is_linear;  // the index is the thread's number; otherwise threadIdx.x
  llvm::Value *begin, *end;
  bool needs_one;  // of the others, if there are no such threads, for what it stores
};

std::optional<Working> working_threads(llvm::IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts,
                                       const Ending& ending);

}  // namespace assay::regions
