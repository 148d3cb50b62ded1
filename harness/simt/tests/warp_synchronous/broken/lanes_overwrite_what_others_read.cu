// EXPECT: RACE: lanes overwrite their element while their neighbours may still read it.
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_overwrite_what_others_read_kernel(int* out, const int* in) {
  __shared__ int row[32];
  const int lane = threadIdx.x;
  row[lane] = in[lane];
  __syncwarp();
  const int next = row[(lane + 1) % 32];  // HERE
  row[lane] = next * 2;                   // HERE
  __syncwarp();
  out[lane] = row[31 - lane];
}

ASSAY_KERNEL_TEST(lanes_overwrite_what_others_read) {
  launch_kernel(lanes_overwrite_what_others_read_kernel, {1, 32}, output<int>("out", 32), input<int>("in", 32));
  return "";
}
