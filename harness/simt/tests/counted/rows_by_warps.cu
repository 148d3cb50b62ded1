// TOTAL: bytes_read=320 barriers_per_block=0
// A warp reads rows of 40 elements: some lanes go round twice, other lanes in each row. The shuffles keep the rows
// apart.
#include "harness/simt/tests/kernel_test.h"

__global__ void rows_by_warps_kernel(float* out, const float* in) {
  for (unsigned row = 0; row < 2; ++row) {
    float sum = 0;
    for (unsigned col = (threadIdx.x + 16 * row) % 32; col < 40; col += 32)
      sum += in[row * 40 + col];  // LINE: requests=4 sectors_per_request=2.5 active_lanes=0.625
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) out[row] = sum;  // LINE: requests=2 active_lanes=0.03125
  }
}

ASSAY_KERNEL_TEST(rows_by_warps) {
  launch_kernel(rows_by_warps_kernel, {1, 32}, output<float>("out", 2), input<float>("in", 80));
  return "";
}
