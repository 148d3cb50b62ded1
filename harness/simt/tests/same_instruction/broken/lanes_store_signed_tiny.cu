// EXPECT: RACE: the largest difference that no zero excuses: of the smallest number's sign, and of 256 and 257.
// SAYS: store different values (256, 257)
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_signed_tiny_kernel(float* y) {
  __shared__ float tiny, count;
  tiny = __uint_as_float(threadIdx.x % 2 << 31 | 1u);  // HERE
  count = 256 + threadIdx.x % 2;                       // HERE
  __syncthreads();
  y[threadIdx.x] = tiny + count;
}

ASSAY_KERNEL_TEST(lanes_store_signed_tiny) {
  launch_kernel(lanes_store_signed_tiny_kernel, {1, 32}, output<float>("y", 32));
  return "";
}
