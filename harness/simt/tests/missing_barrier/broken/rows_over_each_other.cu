// EXPECT: RACE: two rows of threads load their elements into one row of shared memory.
// SAYS: shared row[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void rows_over_each_other_kernel(float* out, const float* in) {
  __shared__ float row[32];
  const int x = threadIdx.x, y = threadIdx.y;
  row[x] = in[y * 32 + x];  // HERE
  __syncthreads();
  out[y * 32 + x] = row[x];
}

ASSAY_KERNEL_TEST(rows_over_each_other) {
  launch_kernel(rows_over_each_other_kernel, {1, dim3(32, 2)}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
