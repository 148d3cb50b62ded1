// EXPECT: OUT_OF_BOUNDS: a row is cleared whole whose last part lies beyond the array. Nothing of it is carried out, so
// what is read of the row is unwritten.
// SAYS: shared row, byte 256
#include <cstring>

#include "harness/simt/tests/kernel_test.h"

__global__ void memset_past_shared_memory_kernel(float* y, int n) {
  __shared__ float row[64];
  if (threadIdx.x == 0) std::memset(row, 0, n * sizeof(float));  // HERE
  __syncthreads();
  y[threadIdx.x] = row[threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(memset_past_shared_memory) {
  launch_kernel(memset_past_shared_memory_kernel, {1, 32}, output<float>("y", 32), 65);
  return "";
}
