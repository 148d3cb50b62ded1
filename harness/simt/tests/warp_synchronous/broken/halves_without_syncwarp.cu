// EXPECT: RACE: lanes read 16-bit elements that their neighbours write, without __syncwarp between.
// SAYS: shared slot[
// SAYS: no barrier or warp operation between
#include "harness/simt/tests/kernel_test.h"

__global__ void halves_without_syncwarp_kernel(int* out, const int* in) {
  __shared__ unsigned short slot[32];
  const int t = threadIdx.x;
  slot[t] = static_cast<unsigned short>(in[t]);  // HERE
  int sum = slot[t];
  for (int i = 0; i < 4; ++i) sum += slot[t / 4 * 4 + i];  // HERE
  out[t] = sum;
}

ASSAY_KERNEL_TEST(halves_without_syncwarp) {
  launch_kernel(halves_without_syncwarp_kernel, {1, 32}, output<int>("out", 32), input<int>("in", 32));
  return "";
}
