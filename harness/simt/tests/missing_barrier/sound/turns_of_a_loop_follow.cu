// EXPECT: PASS: each turn writes a row of its own.
#include "harness/simt/tests/kernel_test.h"

__global__ void turns_of_a_loop_follow_kernel(float* out, int n) {
  for (int i = threadIdx.x; i < n; i += 32) out[i] = static_cast<float>(threadIdx.x);
}

ASSAY_KERNEL_TEST(turns_of_a_loop_follow) {
  launch_kernel(turns_of_a_loop_follow_kernel, {1, 32}, output<float>("out", 128), 128);
  return "";
}
