// EXPECT: RACE: a shift by one in place reads the first element of the next block, which that block overwrites.
// SAYS: data[32]
#include "harness/simt/tests/kernel_test.h"

__global__ void shift_in_place_kernel(float* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float next = data[i + 1];  // HERE
  __syncthreads();
  data[i] = next;  // HERE
}

ASSAY_KERNEL_TEST(shift_in_place) {
  launch_kernel(shift_in_place_kernel, {4, 32}, accumulated<float>("data", 129));
  return "";
}
