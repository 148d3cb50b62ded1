// EXPECT: UNINITIALISED: padding is multiplied by 0, which leaves a NaN what it is.
// SAYS: but that element is dead: padding, or past what the case fills, and holds NaN
#include "harness/simt/tests/kernel_test.h"

// Rows of 8 elements, the last two of them padding. in: (gridDim.x, 8)
__global__ void padding_times_zero_kernel(float* out, const float* in) {
  const unsigned i = blockIdx.x * 8 + threadIdx.x;
  const float counts = threadIdx.x < 6 ? 1 : 0;
  out[i] = in[i] * counts;  // HERE
}

ASSAY_KERNEL_TEST(padding_times_zero) {
  const std::vector<float> rows(4 * 8, 2);
  auto* const in = assay::simt::test::bound<float>("x", rows.size(), assay::simt::Contents::gaps, rows.data());
  if (auto* const checker = assay::simt::current_checker())
    for (int row = 0; row < 4; ++row) checker->host_wrote(in + 8 * row, 6 * sizeof(float));
  launch_kernel(padding_times_zero_kernel, {4, 8}, output<float>("out", 4 * 8), in);
  return "";
}
