// EXPECT: RACE: a stream-K block raises the flag of its part first and has its fence afterwards.
// SAYS: part[
#include "harness/simt/tests/kernel_test.h"

__global__ void fence_after_the_flag_kernel(float* out, float* part, unsigned* flags, unsigned* ticket,
                                            const float* in) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  if (tile % 2 == 0) {
    part[tile * 32 + threadIdx.x] = in[tile * 32 + threadIdx.x];  // HERE
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&flags[tile], 1u);
    __threadfence();
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flags[tile - 1], 0u) == 0u) {
      }
    }
    __syncthreads();
    const float other = part[(tile - 1) * 32 + threadIdx.x];  // HERE
    out[tile / 2 * 32 + threadIdx.x] = other + in[tile * 32 + threadIdx.x];
  }
}

ASSAY_KERNEL_TEST(fence_after_the_flag) {
  launch_kernel(fence_after_the_flag_kernel, {6, 32}, output<float>("out", 96), output<float>("part", 192),
                accumulated<unsigned>("flags", 6), accumulated<unsigned>("ticket", 1), input<float>("in", 192));
  return "";
}
