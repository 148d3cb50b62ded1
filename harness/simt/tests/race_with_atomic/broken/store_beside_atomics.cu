// EXPECT: RACE: one thread resets a counter by a plain store while others add to it.
// SAYS: shared count[0]: write by thread (70,0,0)
// SAYS: after atomic by thread
#include "harness/simt/tests/kernel_test.h"

__global__ void store_beside_atomics_kernel(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x < 70) atomicAdd(&count, 1);  // HERE
  if (threadIdx.x == 70) count = 5;            // HERE
  __syncthreads();
  out[threadIdx.x] = count;
}

ASSAY_KERNEL_TEST(store_beside_atomics) {
  launch_kernel(store_beside_atomics_kernel, {1, 96}, output<int>("out", 96));
  return "";
}
