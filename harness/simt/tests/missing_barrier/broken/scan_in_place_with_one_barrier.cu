// EXPECT: RACE: a step of a prefix sum in place reads elements that the same step overwrites.
#include "harness/simt/tests/kernel_test.h"

__global__ void scan_in_place_with_one_barrier_kernel(int* out, const int* in) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (int offset = 1; offset < 64; offset <<= 1) {
    if (t >= offset) tile[t] += tile[t - offset];  // HERE
    __syncthreads();
  }
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(scan_in_place_with_one_barrier) {
  launch_kernel(scan_in_place_with_one_barrier_kernel, {1, 64}, output<int>("out", 64), input<int>("in", 64));
  return "";
}
