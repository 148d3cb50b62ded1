// A function's control flow: its basic blocks, and where lanes that a branch divides meet again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/ptx/module.h"

namespace assay::ptx {

// Instructions that run one after the other: entered at the first, left behind the last. A guarded branch ends one.
struct BasicBlock {
  size_t block = 0;           // the index in Function::blocks of the block that it is part of
  size_t begin = 0, end = 0;  // of its instructions there
  std::vector<int64_t> next;  // the basic blocks that may come next, ascending; kEnd: the function ends
  int64_t meets = -1;         // its immediate post-dominator: the first block, or kEnd, that is on every way to the end
};

inline constexpr int64_t kEnd = -1;

// Blocks are in the order of the text. A loop that never ends has its meeting point at the end. A branch to a label
// that is not there goes nowhere: whoever writes the branch refuses it.
std::vector<BasicBlock> flow_of(const Function& function);

}  // namespace assay::ptx
