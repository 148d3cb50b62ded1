// EXPECT: PASS: each turn writes a row of its own.
#include "harness/simt/tests/kernel_test.h"

__global__ void turns_of_a_loop_follow_kernel(float* out, int turns) {
  for (int turn = 0; turn < turns; ++turn) out[threadIdx.x + 32 * turn] = static_cast<float>(turn);
}

ASSAY_KERNEL_TEST(turns_of_a_loop_follow) {
  launch_kernel(turns_of_a_loop_follow_kernel, {1, 32}, output<float>("out", 128), 4);
  return "";
}
