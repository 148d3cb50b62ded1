// EXPECT: RACE: an online softmax sets the next maximum and factor while other threads still use the last ones.
#include "harness/simt/tests/kernel_test.h"

__global__ void rescale_changes_under_its_readers_kernel(float* out, const float* scores, int tiles) {
  __shared__ float row_max, factor;
  float sum = 0, running = -INFINITY;
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x == 0) {
      const float next = fmaxf(running, scores[i]);
      factor = expf(running - next);  // HERE
      row_max = running = next;       // HERE
    }
    __syncthreads();
    sum = sum * factor + expf(scores[i] - row_max);  // HERE
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(rescale_changes_under_its_readers) {
  launch_kernel(rescale_changes_under_its_readers_kernel, {1, 64}, output<float>("out", 64), input<float>("scores", 6),
                6);
  return "";
}
