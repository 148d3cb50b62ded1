// EXPECT: RACE: lanes store one value, and a lane that stored nothing reads it without a __syncwarp().
// SAYS: shared flag[0]: read by thread
#include "harness/simt/tests/kernel_test.h"

__global__ void another_lane_reads_at_once_kernel(int* y) {
  __shared__ int flag;
  if (threadIdx.x < 31) flag = 1;                // HERE
  if (threadIdx.x == 31) y[threadIdx.x] = flag;  // HERE
}

ASSAY_KERNEL_TEST(another_lane_reads_at_once) {
  launch_kernel(another_lane_reads_at_once_kernel, {1, 32}, output<int>("y", 32));
  return "";
}
