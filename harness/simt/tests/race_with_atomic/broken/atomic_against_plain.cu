// EXPECT: RACE: a counter in shared memory is read plainly while others still add to it.
// SAYS: shared count
// SAYS: an atomic orders nothing against a plain access
#include "harness/simt/tests/kernel_test.h"

__global__ void atomic_against_plain_kernel(int* out, const int* in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 15) atomicAdd(&count, 1);  // HERE
  out[threadIdx.x] = count;                        // HERE
}

ASSAY_KERNEL_TEST(atomic_against_plain) {
  launch_kernel(atomic_against_plain_kernel, {1, 96}, output<int>("out", 96), input<int>("in", 96));
  return "";
}
