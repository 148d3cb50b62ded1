// EXPECT: PASS
#include "harness/simt/tests/kernel_test.h"

// Rows of 8 elements, the last two of them padding. in: (gridDim.x, 8)
__global__ void padding_left_out_kernel(float* out, const float* in) {
  const unsigned i = blockIdx.x * 8 + threadIdx.x;
  float value = 0;
  if (threadIdx.x < 6) value = in[i];
  out[i] = value;
}

ASSAY_KERNEL_TEST(padding_left_out) {
  const std::vector<float> rows(4 * 8, 2);
  auto* const in = assay::simt::test::bound<float>("x", rows.size(), assay::simt::Contents::gaps, rows.data());
  if (auto* const checker = assay::simt::current_checker())
    for (int row = 0; row < 4; ++row) checker->host_wrote(in + 8 * row, 6 * sizeof(float));
  launch_kernel(padding_left_out_kernel, {4, 8}, output<float>("out", 4 * 8), in);
  return "";
}
