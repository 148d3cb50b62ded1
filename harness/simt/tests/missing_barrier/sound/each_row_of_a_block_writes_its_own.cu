// EXPECT: PASS: each row of threads writes its own row.
#include "harness/simt/tests/kernel_test.h"

__global__ void each_row_of_a_block_writes_its_own_kernel(float* out) {
  out[threadIdx.y * 32 + threadIdx.x] = static_cast<float>(threadIdx.y);
}

ASSAY_KERNEL_TEST(each_row_of_a_block_writes_its_own) {
  launch_kernel(each_row_of_a_block_writes_its_own_kernel, {1, dim3(32, 2)}, output<float>("out", 64));
  return "";
}
