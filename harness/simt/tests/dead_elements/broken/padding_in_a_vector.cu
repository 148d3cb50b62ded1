// EXPECT: UNINITIALISED: a load of 16 bytes reaches into the padding, whether its last lanes are used or not.
// SAYS: but that element is dead
#include "harness/simt/tests/kernel_test.h"

// Rows of 8 elements, the last two of them padding. in: (gridDim.x, 8)
__global__ void padding_in_a_vector_kernel(float* out, const float* in) {
  if (threadIdx.x % 4 != 0) return;
  const unsigned first = blockIdx.x * 8 + threadIdx.x;
  float4 held = *reinterpret_cast<const float4*>(in + first);  // HERE
  if (threadIdx.x == 4) held.z = held.w = 0;
  *reinterpret_cast<float4*>(out + first) = held;
}

ASSAY_KERNEL_TEST(padding_in_a_vector) {
  const std::vector<float> rows(4 * 8, 2);
  auto* const in = assay::simt::test::bound<float>("x", rows.size(), assay::simt::Contents::gaps, rows.data());
  if (auto* const checker = assay::simt::current_checker())
    for (int row = 0; row < 4; ++row) checker->host_wrote(in + 8 * row, 6 * sizeof(float));
  launch_kernel(padding_in_a_vector_kernel, {4, 8}, output<float>("out", 4 * 8), in);
  return "";
}
