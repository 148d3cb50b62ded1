// TOTAL: threads_per_block=64 dynamic_shared_bytes=256 launches=2 blocks=2
// Two launches of different size: the larger block counts for what fits on a multiprocessor.
#include "harness/simt/tests/kernel_test.h"

__global__ void dynamic_tile_kernel(float* out, const float* in) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

ASSAY_KERNEL_TEST(dynamic_tile) {
  float* const out = output<float>("out", 64);
  const float* const in = input<float>("in", 64);
  launch_kernel(dynamic_tile_kernel, {1, 64, 256}, out, in);
  launch_kernel(dynamic_tile_kernel, {1, 32, 128}, out, in);
  return "";
}
