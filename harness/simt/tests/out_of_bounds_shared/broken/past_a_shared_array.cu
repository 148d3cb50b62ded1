// EXPECT: OUT_OF_BOUNDS: a pointer runs past the end of a static shared array.
// SAYS: shared tile[64]: write by thread (63,0,0)
// SAYS: the array has 256 bytes
#include "harness/simt/tests/kernel_test.h"

__device__ void store_next(float* row, float value) { row[threadIdx.x + 1] = value; }  // HERE

__global__ void past_a_shared_array_kernel(float* out) {
  __shared__ float tile[64];
  store_next(tile, 1.0f);
  __syncthreads();
  out[threadIdx.x] = threadIdx.x == 0 ? 0.0f : tile[threadIdx.x];
}

ASSAY_KERNEL_TEST(past_a_shared_array) {
  launch_kernel(past_a_shared_array_kernel, {1, 64}, output<float>("out", 64));
  return "";
}
