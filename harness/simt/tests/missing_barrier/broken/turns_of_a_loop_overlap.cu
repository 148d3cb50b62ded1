// EXPECT: RACE: a thread writes in one turn what its neighbour writes in another.
#include "harness/simt/tests/kernel_test.h"

__global__ void turns_of_a_loop_overlap_kernel(float* out, int n) {
  for (int i = threadIdx.x; i < n; i += 16) out[i] = static_cast<float>(threadIdx.x);  // HERE
}

ASSAY_KERNEL_TEST(turns_of_a_loop_overlap) {
  launch_kernel(turns_of_a_loop_overlap_kernel, {1, 32}, output<float>("out", 128), 128);
  return "";
}
