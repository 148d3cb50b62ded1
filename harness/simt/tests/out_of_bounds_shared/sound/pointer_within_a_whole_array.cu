// EXPECT: PASS: a halo loader fills a shared array to its last element.
#include "harness/simt/tests/kernel_test.h"

__device__ void pointer_within_a_whole_array_load(float* tile, const float* in) {
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (t < 2) tile[64 + t] = in[64 + t];
}

__global__ void pointer_within_a_whole_array_kernel(float* out, const float* in) {
  __shared__ float tile[66];
  pointer_within_a_whole_array_load(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

ASSAY_KERNEL_TEST(pointer_within_a_whole_array) {
  float* const out = output<float>("out", 64);
  const float* const in = input<float>("in", 66);
  launch_kernel(pointer_within_a_whole_array_kernel, {1, 64}, out, in);
  return out[63] == in[63] + in[64] + in[65] ? "" : "a sum is wrong";
}
