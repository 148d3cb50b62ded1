// EXPECT: RACE: the bits of 0 and -0 in shared memory, of a launch that has no floats.
// SAYS: but lanes 0 and 1 of warp 0 store different values (0, -2147483648)
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_flags_kernel(unsigned* y) {
  __shared__ unsigned flags;
  flags = threadIdx.x % 2 << 31;  // HERE
  __syncthreads();
  y[threadIdx.x] = flags;
}

ASSAY_KERNEL_TEST(lanes_store_flags) {
  launch_kernel(lanes_store_flags_kernel, {1, 32}, output<unsigned>("y", 32));
  return "";
}
