// EXPECT: PASS: a double buffer is refilled after the barrier that ends its reading.
#include "harness/simt/tests/kernel_test.h"

__global__ void prefetch_after_the_barrier_kernel(float* out, const float* in, int tiles) {
  __shared__ float buffer[2][64];
  const int t = threadIdx.x;
  float sum = 0;
  buffer[0][t] = in[t];
  for (int i = 0; i < tiles; ++i) {
    __syncthreads();
    if (i + 1 < tiles) buffer[(i + 1) % 2][t] = in[(i + 1) * 64 + t];
    sum += buffer[i % 2][63 - t];
  }
  out[t] = sum;
}

ASSAY_KERNEL_TEST(prefetch_after_the_barrier) {
  float* const out = output<float>("out", 64);
  const float* const in = input<float>("in", 5 * 64);
  launch_kernel(prefetch_after_the_barrier_kernel, {1, 64}, out, in, 5);
  float expected = 0;
  for (int i = 0; i < 5; ++i) expected += in[i * 64 + 63 - 9];
  return out[9] == expected ? "" : "a sum is wrong";
}
