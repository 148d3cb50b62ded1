// EXPECT: PASS: a step of a prefix sum in place reads, waits, and then writes.
#include "harness/simt/tests/kernel_test.h"

__global__ void scan_in_place_with_two_barriers_kernel(int* out, const int* in) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (int offset = 1; offset < 64; offset <<= 1) {
    const int left = t >= offset ? tile[t - offset] : 0;
    __syncthreads();
    tile[t] += left;
    __syncthreads();
  }
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(scan_in_place_with_two_barriers) {
  int* const out = output<int>("out", 64);
  const int* const in = input<int>("in", 64);
  launch_kernel(scan_in_place_with_two_barriers_kernel, {1, 64}, out, in);
  for (int i = 0, sum = 0; i < 64; ++i)
    if (out[i] != (sum += in[i])) return "a sum is wrong";
  return "";
}
