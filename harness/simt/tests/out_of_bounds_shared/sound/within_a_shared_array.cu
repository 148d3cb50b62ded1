// EXPECT: PASS: a pointer stays inside a static shared array, and a one-byte flag has its own place.
#include "harness/simt/tests/kernel_test.h"

__device__ void store_here(float* row, float value) { row[threadIdx.x] = value; }

__global__ void within_a_shared_array_kernel(float* out) {
  __shared__ float tile[64];
  __shared__ bool flag;
  __shared__ unsigned char bytes[64];
  store_here(tile, 1.0f);
  bytes[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 9) flag = true;
  __syncthreads();
  out[threadIdx.x] = flag ? tile[63 - threadIdx.x] + bytes[63 - threadIdx.x] : 0.0f;
}

ASSAY_KERNEL_TEST(within_a_shared_array) {
  float* const out = output<float>("out", 64);
  launch_kernel(within_a_shared_array_kernel, {1, 64}, out);
  return out[0] == 64.0f ? "" : "a value is wrong";
}
