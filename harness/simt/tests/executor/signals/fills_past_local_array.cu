// EXPECT: CRASH: thread (0,0,0) fills more than its array has.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

// A function that gets a local array does not know its length, and neither does the checked build.
__device__ __noinline__ void fill(volatile float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = 1;
}

__global__ void fill_past(float* out, int count) {
  float values[4096];
  if (threadIdx.x == 0) fill(values, count);
  out[threadIdx.x] = values[threadIdx.x];
}

ASSAY_KERNEL_TEST(fills_past_local_array) {
  float out[32] = {};
  launch_kernel(fill_past, {1, 32}, out, 1 << 20);
  return "";
}
