// EXPECT: CRASH: a pointer that no processor takes for an address.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void read_no_address(const float* data, float* y) { *y = *data; }

ASSAY_KERNEL_TEST(reads_no_address) {
  static float y;
  launch_kernel(read_no_address, {1, 1}, reinterpret_cast<const float*>(0x1234567812345678), &y);
  return "";
}
