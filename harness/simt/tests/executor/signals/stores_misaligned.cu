// EXPECT: CRASH: a float4 is stored where a float is.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void store_misaligned(float* data) { *reinterpret_cast<float4*>(data + 1) = {1, 2, 3, 4}; }

ASSAY_KERNEL_TEST(stores_misaligned) {
  alignas(16) static float data[8];
  launch_kernel(store_misaligned, {1, 1}, &data[0]);
  return "";
}
