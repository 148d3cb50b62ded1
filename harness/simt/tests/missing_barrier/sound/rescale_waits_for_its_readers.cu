// EXPECT: PASS: an online softmax sets the next maximum and factor when all threads have used the last ones.
#include "harness/simt/tests/kernel_test.h"

__global__ void rescale_waits_for_its_readers_kernel(float* out, const float* scores, int tiles) {
  __shared__ float row_max, factor;
  float sum = 0, running = -INFINITY;
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x == 0) {
      const float next = fmaxf(running, scores[i]);
      factor = expf(running - next);
      row_max = running = next;
    }
    __syncthreads();
    sum = sum * factor + expf(scores[i] - row_max);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(rescale_waits_for_its_readers) {
  float* const out = output<float>("out", 64);
  launch_kernel(rescale_waits_for_its_readers_kernel, {1, 64}, out, input<float>("scores", 6), 6);
  return out[0] > 1.0009f && out[0] < 1.0010f && out[63] == out[0] ? "" : "a sum is wrong";
}
