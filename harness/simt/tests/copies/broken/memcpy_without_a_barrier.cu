// EXPECT: RACE: threads copy a tile of triples that their neighbours write.
// SAYS: shared tile
#include "harness/simt/tests/kernel_test.h"

__global__ void memcpy_without_a_barrier_kernel(float* y) {
  __shared__ float tile[33 * 3];
  __builtin_memset(tile + 3 * threadIdx.x, 0, 12);                // HERE
  if (threadIdx.x == 0) __builtin_memset(tile + 96, 0, 12);       // HERE
  memcpy(y + 3 * threadIdx.x, tile + 3 * (threadIdx.x + 1), 12);  // HERE
}

ASSAY_KERNEL_TEST(memcpy_without_a_barrier) {
  launch_kernel(memcpy_without_a_barrier_kernel, {1, 32}, output<float>("y", 96));
  return "";
}
