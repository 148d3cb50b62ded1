// A function that overflows any stack.
#pragma once

#include <cuda_runtime.h>

// Recurses until *data is not 0.
__device__ __noinline__ int deep(volatile int* data, int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return *data == 0 ? deep(data, depth + 1) + frame[0] : 0;
}
