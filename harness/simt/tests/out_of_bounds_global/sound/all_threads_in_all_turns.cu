// EXPECT: PASS: the last thread reads the last element in the last turn.
#include "harness/simt/tests/kernel_test.h"

__global__ void all_threads_in_all_turns_kernel(float* out, const float* in, int turns) {
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += in[threadIdx.x + 32 * turn];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(all_threads_in_all_turns) {
  launch_kernel(all_threads_in_all_turns_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 128), 4);
  return "";
}
