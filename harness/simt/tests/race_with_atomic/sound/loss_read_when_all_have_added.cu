// EXPECT: PASS: the first thread divides a loss to which all threads have added before a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void loss_read_when_all_have_added_kernel(float* mean, float* loss, const float* x) {
  atomicAdd(loss, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) mean[0] = *loss / 96;
}

ASSAY_KERNEL_TEST(loss_read_when_all_have_added) {
  float* const mean = output<float>("mean", 1);
  const float* const x = input<float>("x", 96);
  launch_kernel(loss_read_when_all_have_added_kernel, {1, 96}, mean, accumulated<float>("loss", 1), x);
  float sum = 0;
  for (int i = 0; i < 96; ++i) sum += x[i];
  return mean[0] == sum / 96 ? "" : "the mean is wrong";
}
