// EXPECT: RACE: a double buffer is refilled before the barrier that ends its reading.
#include "harness/simt/tests/kernel_test.h"

__global__ void prefetch_before_the_barrier_kernel(float* out, const float* in, int tiles) {
  __shared__ float buffer[2][64];
  const int t = threadIdx.x;
  float sum = 0;
  buffer[0][t] = in[t];
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) buffer[(i + 1) % 2][t] = in[(i + 1) * 64 + t];  // HERE
    __syncthreads();
    sum += buffer[i % 2][63 - t];  // HERE
  }
  out[t] = sum;
}

ASSAY_KERNEL_TEST(prefetch_before_the_barrier) {
  launch_kernel(prefetch_before_the_barrier_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 5 * 64), 5);
  return "";
}
