// EXPECT: CRASH: the address of a float4 is made of a base, an index and a displacement.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void store_misaligned_by_index(float4* data, int64_t first) {
  for (int64_t i = first; i < first + 4; ++i) data[i + 100] = {1, 2, 3, 4};
}

ASSAY_KERNEL_TEST(stores_misaligned_by_index) {
  alignas(16) static float data[2048];
  launch_kernel(store_misaligned_by_index, {1, 1}, reinterpret_cast<float4*>(data + 2), int64_t{3});
  return "";
}
