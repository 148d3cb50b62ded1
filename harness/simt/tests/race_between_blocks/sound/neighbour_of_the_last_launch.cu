// EXPECT: PASS: every block reads what the one before it wrote in the launch before.
#include "harness/simt/tests/kernel_test.h"

__global__ void write_own_kernel(float* data) { data[blockIdx.x * 32 + threadIdx.x] = blockIdx.x; }
__global__ void read_neighbour_kernel(float* out, float* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = data[i] + (blockIdx.x > 0 ? data[i - 32] : 0.0f);
}

ASSAY_KERNEL_TEST(neighbour_of_the_last_launch) {
  float* const data = output<float>("data", 128);
  launch_kernel(write_own_kernel, {4, 32}, data);
  launch_kernel(read_neighbour_kernel, {4, 32}, output<float>("out", 128), data);
  return "";
}
