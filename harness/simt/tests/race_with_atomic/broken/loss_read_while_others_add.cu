// EXPECT: RACE: the first thread divides a loss to which other threads still add.
// SAYS: loss[0]
// SAYS: an atomic orders nothing against a plain access
#include "harness/simt/tests/kernel_test.h"

__global__ void loss_read_while_others_add_kernel(float* mean, float* loss, const float* x) {
  atomicAdd(loss, x[threadIdx.x]);             // HERE
  if (threadIdx.x == 0) mean[0] = *loss / 96;  // HERE
}

ASSAY_KERNEL_TEST(loss_read_while_others_add) {
  launch_kernel(loss_read_while_others_add_kernel, {1, 96}, output<float>("mean", 1), accumulated<float>("loss", 1),
                input<float>("x", 96));
  return "";
}
