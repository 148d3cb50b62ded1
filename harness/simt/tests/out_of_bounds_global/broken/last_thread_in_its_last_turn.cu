// EXPECT: OUT_OF_BOUNDS: one thread reads one element too far, in one turn of a loop.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_thread_in_its_last_turn_kernel(float* out, const float* in, int turns) {
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += in[threadIdx.x + 32 * turn];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(last_thread_in_its_last_turn) {
  launch_kernel(last_thread_in_its_last_turn_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 127), 4);
  return "";
}
