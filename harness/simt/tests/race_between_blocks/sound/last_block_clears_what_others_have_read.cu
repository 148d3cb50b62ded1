// EXPECT: PASS: the last block clears a scale that other blocks read before they count themselves.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_clears_what_others_have_read_kernel(float* out, float* scale, unsigned* done) {
  __shared__ bool last;
  out[blockIdx.x * 32 + threadIdx.x] = 2 * scale[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) scale[0] = 0;
}

ASSAY_KERNEL_TEST(last_block_clears_what_others_have_read) {
  float *const out = output<float>("out", 192), *const scale = accumulated<float>("scale", 1);
  scale[0] = 3;
  launch_kernel(last_block_clears_what_others_have_read_kernel, {6, 32}, out, scale, accumulated<unsigned>("done", 1));
  return out[0] == 6 && out[191] == 6 && scale[0] == 0 ? "" : "a value is wrong";
}
