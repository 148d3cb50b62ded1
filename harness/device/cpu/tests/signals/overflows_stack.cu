// EXPECT: CRASH: thread (3,0,0) recurses without end.
#include "harness/device/cpu/tests/kernel_test.h"

using assay::simt::launch_kernel;

__device__ __noinline__ int deep(volatile int* data, int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return *data == 0 ? deep(data, depth + 1) + frame[0] : 0;
}

__global__ void recurse(int* data) {
  if (threadIdx.x == 3) *data = deep(data, 1);
}

ASSAY_KERNEL_TEST(overflows_stack) {
  int zero = 0;
  launch_kernel(recurse, {1, 32}, &zero);
  return "";
}
