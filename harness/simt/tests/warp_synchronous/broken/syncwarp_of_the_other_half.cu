// EXPECT: RACE: each half of a warp meets on its own, and reads what the other half writes.
// SAYS: shared slot[
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_of_the_other_half_kernel(int* out, const int* in) {
  __shared__ int slot[32];
  const int t = threadIdx.x;
  slot[t] = in[t];  // HERE
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = slot[t ^ 16];  // HERE
}

ASSAY_KERNEL_TEST(syncwarp_of_the_other_half) {
  launch_kernel(syncwarp_of_the_other_half_kernel, {1, 32}, output<int>("out", 32), input<int>("in", 32));
  return "";
}
