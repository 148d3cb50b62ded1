// EXPECT: PASS: every step of a bitonic sort for top-k ends with a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void bitonic_steps_with_barrier_kernel(int* out, const int* in) {
  __shared__ int keys[64];
  const int t = threadIdx.x;
  keys[t] = in[t];
  __syncthreads();
  for (int size = 2; size <= 64; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      const int other = t ^ stride;
      if (other > t) {
        const int mine = keys[t], theirs = keys[other];
        const bool descending = (t & size) == 0;
        keys[t] = descending ? max(mine, theirs) : min(mine, theirs);
        keys[other] = descending ? min(mine, theirs) : max(mine, theirs);
      }
      __syncthreads();
    }
  }
  if (t < 8) out[t] = keys[t];
}

ASSAY_KERNEL_TEST(bitonic_steps_with_barrier) {
  int* const out = output<int>("out", 8);
  launch_kernel(bitonic_steps_with_barrier_kernel, {1, 64}, out, input<int>("in", 64));
  for (int i = 0; i < 8; ++i)
    if (out[i] != 30 - i / 2) return "a key is wrong";
  return "";
}
