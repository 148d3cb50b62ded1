// EXPECT: OUT_OF_BOUNDS: one element more than was allocated.
// SAYS: but this is byte 20 of what was allocated by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void past_the_allocation_kernel(float* y, int n) {
  float* const row = static_cast<float*>(malloc(n * sizeof(float)));  // HERE
  for (int i = 0; i <= n; ++i) row[i] = i;                            // HERE
  y[threadIdx.x] = row[n - 1];
  free(row);
}

ASSAY_KERNEL_TEST(past_the_allocation) {
  launch_kernel(past_the_allocation_kernel, {1, 32}, output<float>("y", 32), 5);
  return "";
}
