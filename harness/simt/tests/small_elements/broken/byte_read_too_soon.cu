// EXPECT: RACE: each thread reads the byte of the next one's, which that one writes.
// SAYS: pixels[
#include "harness/simt/tests/kernel_test.h"

__global__ void byte_read_too_soon_kernel(unsigned char* pixels) {
  const int i = threadIdx.x;
  pixels[i] = pixels[i + 1];  // HERE
}

ASSAY_KERNEL_TEST(byte_read_too_soon) {
  launch_kernel(byte_read_too_soon_kernel, {1, 128}, accumulated<unsigned char>("pixels", 129));
  return "";
}
