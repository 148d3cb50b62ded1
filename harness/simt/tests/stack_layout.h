// Where the stacks of a block's threads lie: kernels write down their stack pointers, host code says how far apart.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/simt/tests/kernel_test.h"

// The stack pointer of the running thread; a frame address would make the compiler keep a frame pointer.
__device__ __forceinline__ uint64_t stack_pointer() {
  uint64_t value;
  asm volatile("mov %%rsp, %0" : "=r"(value));
  return value;
}

// "dense" if neighbours of equal depth share pages, else "own".
inline const char* stack_layout(const std::vector<uint64_t>& stack_pointers) {
  uint64_t farthest = 0;
  for (size_t i = 1; i < stack_pointers.size(); ++i)
    farthest = std::max(farthest, std::max(stack_pointers[i], stack_pointers[i - 1]) -
                                      std::min(stack_pointers[i], stack_pointers[i - 1]));
  return farthest < 4096 ? "dense" : "own";
}
