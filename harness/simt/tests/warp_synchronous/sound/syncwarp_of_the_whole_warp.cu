// EXPECT: PASS: the halves of a warp wait for all lanes and read the lanes of each other.
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_of_the_whole_warp_kernel(int* out, const int* in) {
  __shared__ int row[32];
  const int lane = threadIdx.x;
  row[lane] = in[lane];
  __syncwarp();
  out[lane] = row[lane ^ 16];
}

ASSAY_KERNEL_TEST(syncwarp_of_the_whole_warp) {
  int* const out = output<int>("out", 32);
  const int* const in = input<int>("in", 32);
  launch_kernel(syncwarp_of_the_whole_warp_kernel, {1, 32}, out, in);
  for (int i = 0; i < 32; ++i)
    if (out[i] != in[i ^ 16]) return "a value is wrong";
  return "";
}
