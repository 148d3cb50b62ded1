// EXPECT: OUT_OF_BOUNDS: a 16-bit element past a shared array of odd length, in the word of its last element.
// SAYS: shared tile[31]: write by thread (31,0,0)
#include "harness/simt/tests/kernel_test.h"

__device__ void store_half(unsigned short* row) { row[threadIdx.x] = threadIdx.x; }  // HERE

__global__ void half_past_a_shared_array_kernel(unsigned short* out) {
  __shared__ unsigned short tile[31];
  store_half(tile);
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 31 ? tile[threadIdx.x] : 0;
}

ASSAY_KERNEL_TEST(half_past_a_shared_array) {
  launch_kernel(half_past_a_shared_array_kernel, {1, 32}, output<unsigned short>("out", 32));
  return "";
}
