// EXPECT: RACE: every block reads what the one before it writes in the same launch.
// SAYS: of block
// SAYS: data[
#include "harness/simt/tests/kernel_test.h"

__global__ void block_reads_its_neighbour_kernel(float* out, float* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  data[i] = i;  // HERE
  __syncthreads();
  out[i] = data[i] + (blockIdx.x > 0 ? data[i - 32] : 0.0f);  // HERE
}

ASSAY_KERNEL_TEST(block_reads_its_neighbour) {
  launch_kernel(block_reads_its_neighbour_kernel, {4, 32}, output<float>("out", 128), accumulated<float>("data", 128));
  return "";
}
