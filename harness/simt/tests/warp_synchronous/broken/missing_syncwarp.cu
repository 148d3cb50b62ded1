// EXPECT: RACE: lanes read what their neighbours write, without __syncwarp between.
// SAYS: shared slot[
// SAYS: no barrier or warp operation between
#include "harness/simt/tests/kernel_test.h"

__global__ void missing_syncwarp_kernel(int* out, const int* in) {
  __shared__ int slot[64];
  const int t = threadIdx.x;
  slot[t] = in[t];       // HERE
  out[t] = slot[t ^ 1];  // HERE
}

ASSAY_KERNEL_TEST(missing_syncwarp) {
  launch_kernel(missing_syncwarp_kernel, {1, 64}, output<int>("out", 64), input<int>("in", 64));
  return "";
}
