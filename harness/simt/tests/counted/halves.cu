// TOTAL: sectors_per_request=2 ideal_sectors_per_request=2
// 32 lanes of 2 bytes are two sectors.
#include "harness/simt/tests/kernel_test.h"

__global__ void halves_kernel(unsigned short* out, const unsigned short* in) { out[threadIdx.x] = in[threadIdx.x]; }

ASSAY_KERNEL_TEST(halves) {
  launch_kernel(halves_kernel, {1, 64}, output<unsigned short>("out", 64), input<unsigned short>("in", 64));
  return "";
}
