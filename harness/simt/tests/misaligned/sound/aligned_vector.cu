// EXPECT: PASS: rows of 36 floats are read as float4, and summed in shared memory as float4.
#include "harness/simt/tests/kernel_test.h"

__global__ void aligned_vector_kernel(float4* out, const float* in) {
  __shared__ float4 rows[8];
  rows[threadIdx.x] = *reinterpret_cast<const float4*>(in + 36 * threadIdx.x);
  __syncthreads();
  float4 sum = rows[7 - threadIdx.x];
  sum.x += rows[threadIdx.x].y;
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(aligned_vector) {
  launch_kernel(aligned_vector_kernel, {1, 8}, output<float4>("out", 8), input<float>("in", 288));
  return "";
}
