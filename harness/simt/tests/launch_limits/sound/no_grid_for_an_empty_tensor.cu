// EXPECT: PASS: an empty tensor is not launched, and one with a single element has one block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void no_grid_for_an_empty_tensor_kernel(float* out, int n) {
  if (blockIdx.x * 64 + threadIdx.x < n) out[blockIdx.x * 64 + threadIdx.x] = 1;
}

ASSAY_KERNEL_TEST(no_grid_for_an_empty_tensor) {
  float* const out = output<float>("out", 1);
  for (const int n : {0, 1})
    if (n > 0) launch_kernel(no_grid_for_an_empty_tensor_kernel, {(n + 63) / 64, 64}, out, n);
  return out[0] == 1 ? "" : "a value is wrong";
}
