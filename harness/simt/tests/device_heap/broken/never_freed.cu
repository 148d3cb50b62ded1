// EXPECT: LEAK: every thread allocates a scratch row, and one thread in four frees it.
// SAYS: 1536 bytes in 24 allocations are never freed, the first by thread (1,0,0) of block (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void never_freed_kernel(float* y) {
  float* const row = static_cast<float*>(malloc(16 * sizeof(float)));  // HERE
  row[3] = threadIdx.x;
  y[threadIdx.x] = row[3];
  if (threadIdx.x % 4 == 0) free(row);
}

ASSAY_KERNEL_TEST(never_freed) {
  launch_kernel(never_freed_kernel, {1, 32}, output<float>("y", 32));
  return "";
}
