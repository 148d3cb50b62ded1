// EXPECT: RACE: the last block overwrites an element that it and every other block has read.
// SAYS: scale[0]: write by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void writes_what_other_blocks_read_kernel(float* out, float* scale) {
  const float s = scale[0];  // HERE
  out[blockIdx.x * 32 + threadIdx.x] = s;
  __syncthreads();
  if (blockIdx.x == 3 && threadIdx.x == 0) scale[0] = s + 1;  // HERE
}

ASSAY_KERNEL_TEST(writes_what_other_blocks_read) {
  launch_kernel(writes_what_other_blocks_read_kernel, {4, 32}, output<float>("out", 128),
                accumulated<float>("scale", 1));
  return "";
}
