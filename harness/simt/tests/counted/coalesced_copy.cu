// TOTAL: sectors_per_request=4 ideal_sectors_per_request=4 bytes_read=2048 bytes_written=2048 blocks=2 active_lanes=1
// Neighbouring lanes, neighbouring words: 32 lanes of 4 bytes are four sectors.
#include "harness/simt/tests/kernel_test.h"

__global__ void coalesced_copy_kernel(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // LINE: sectors_per_request=4 requests=32
}

ASSAY_KERNEL_TEST(coalesced_copy) {
  launch_kernel(coalesced_copy_kernel, {2, 256}, output<float>("out", 512), input<float>("in", 512));
  return "";
}
