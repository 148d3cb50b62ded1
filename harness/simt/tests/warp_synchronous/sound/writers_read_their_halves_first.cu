// EXPECT: PASS: a lane reads the 16-bit element that it wrote before the others do, all behind a barrier of the warp.
#include "harness/simt/tests/kernel_test.h"

__global__ void writers_read_their_halves_first_kernel(int* out, const int* in) {
  __shared__ unsigned short slot[32];
  const int t = threadIdx.x;
  slot[t] = static_cast<unsigned short>(in[t]);
  __syncwarp();
  int sum = slot[t];
  for (int i = 0; i < 4; ++i) sum += slot[t / 4 * 4 + i];
  out[t] = sum;
}

ASSAY_KERNEL_TEST(writers_read_their_halves_first) {
  int* const out = output<int>("out", 32);
  const int* const in = input<int>("in", 32);
  launch_kernel(writers_read_their_halves_first_kernel, {1, 32}, out, in);
  return out[5] == in[5] + in[4] + in[5] + in[6] + in[7] ? "" : "a sum is wrong";
}
