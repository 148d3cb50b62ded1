// EXPECT: OUT_OF_BOUNDS: a halo loader with one thread too many writes past a shared array.
// SAYS: shared tile[66]: write by thread (2,0,0)
// SAYS: the array has 264 bytes
#include "harness/simt/tests/kernel_test.h"

__device__ void pointer_past_a_whole_array_load(float* tile, const float* in) {
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (t <= 2) tile[64 + t] = in[64 + t];  // HERE
}

__global__ void pointer_past_a_whole_array_kernel(float* out, const float* in) {
  __shared__ float tile[66];
  pointer_past_a_whole_array_load(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

ASSAY_KERNEL_TEST(pointer_past_a_whole_array) {
  launch_kernel(pointer_past_a_whole_array_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 67));
  return "";
}
