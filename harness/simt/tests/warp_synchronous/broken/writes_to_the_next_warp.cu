// EXPECT: RACE: lanes exchange behind a __syncwarp, but the first lane of a warp reads what the next warp writes.
// SAYS: shared slot[32]
#include "harness/simt/tests/kernel_test.h"

__global__ void writes_to_the_next_warp_kernel(int* out, const int* in) {
  __shared__ int slot[64];
  const int t = threadIdx.x;
  slot[t] = in[t];  // HERE
  __syncwarp();
  out[t] = slot[(t + 1) % 64];  // HERE
}

ASSAY_KERNEL_TEST(writes_to_the_next_warp) {
  launch_kernel(writes_to_the_next_warp_kernel, {1, 64}, output<int>("out", 64), input<int>("in", 64));
  return "";
}
