// EXPECT: PASS: whole warps and single threads leave at once because their row does not exist.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void scale_rows(float* out, int rows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float value = row + 1.0f;
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
  if (threadIdx.x == 0) out[row] = value;
}

ASSAY_KERNEL_TEST(rows_out_of_range) {
  std::vector<float> out(13);
  launch_kernel(scale_rows, {2, dim3(32, 8)}, out.data(), 13);
  for (int i = 0; i < 13; ++i)
    if (out[i] != 32.0f * (i + 1)) return "a row is wrong";
  return "";
}
