// EXPECT: RACE: the steps of a bitonic sort for top-k have no barrier between them.
#include "harness/simt/tests/kernel_test.h"

__global__ void bitonic_steps_without_barrier_kernel(int* out, const int* in) {
  __shared__ int keys[64];
  const int t = threadIdx.x;
  keys[t] = in[t];
  __syncthreads();
  for (int size = 2; size <= 64; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      const int other = t ^ stride;
      if (other < t) continue;
      const int mine = keys[t], theirs = keys[other];  // HERE
      const bool descending = (t & size) == 0;
      keys[t] = descending ? max(mine, theirs) : min(mine, theirs);      // HERE
      keys[other] = descending ? min(mine, theirs) : max(mine, theirs);  // HERE
    }
  }
  __syncthreads();
  if (t < 8) out[t] = keys[t];
}

ASSAY_KERNEL_TEST(bitonic_steps_without_barrier) {
  launch_kernel(bitonic_steps_without_barrier_kernel, {1, 64}, output<int>("out", 8), input<int>("in", 64));
  return "";
}
