// TOTAL: bytes_read=448
// Each half of a warp reads rows of 20 elements and meets on its own, which keeps its lanes in step: other lanes go
// round twice in each row.
#include "harness/simt/tests/kernel_test.h"

__global__ void rows_by_half_warps_kernel(float* out, const float* in) {
  const unsigned half = threadIdx.x / 16;
  for (unsigned round = 0; round < 2; ++round) {
    const unsigned row = 2 * round + half;
    float sum = 0;
    for (unsigned col = (threadIdx.x + 8 * round) % 16; col < 20; col += 16)
      sum += in[row * 20 + col];  // LINE: requests=4 active_lanes=0.625
    __syncwarp(0xffffu << (16 * half));
    out[32 * round + threadIdx.x] = sum;  // LINE: requests=2 active_lanes=1
  }
}

ASSAY_KERNEL_TEST(rows_by_half_warps) {
  launch_kernel(rows_by_half_warps_kernel, {1, 32}, output<float>("out", 64), input<float>("in", 80));
  return "";
}
