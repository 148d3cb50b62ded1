// EXPECT: RACE: the halves of a warp wait for their own lanes only and read the lanes of each other.
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_of_half_a_warp_kernel(int* out, const int* in) {
  __shared__ int row[32];
  const int lane = threadIdx.x;
  row[lane] = in[lane];  // HERE
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
  out[lane] = row[lane ^ 16];  // HERE
}

ASSAY_KERNEL_TEST(syncwarp_of_half_a_warp) {
  launch_kernel(syncwarp_of_half_a_warp_kernel, {1, 32}, output<int>("out", 32), input<int>("in", 32));
  return "";
}
