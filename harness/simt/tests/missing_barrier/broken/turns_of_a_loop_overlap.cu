// EXPECT: RACE: a thread writes in one turn what its neighbour writes in another.
#include "harness/simt/tests/kernel_test.h"

__global__ void turns_of_a_loop_overlap_kernel(float* out, int turns) {
  for (int turn = 0; turn < turns; ++turn) out[threadIdx.x + 16 * turn] = static_cast<float>(turn);  // HERE
}

ASSAY_KERNEL_TEST(turns_of_a_loop_overlap) {
  launch_kernel(turns_of_a_loop_overlap_kernel, {1, 32}, output<float>("out", 128), 4);
  return "";
}
