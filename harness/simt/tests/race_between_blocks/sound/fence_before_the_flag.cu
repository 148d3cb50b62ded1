// EXPECT: PASS: a stream-K block has its fence first and raises the flag of its part afterwards.
#include "harness/simt/tests/kernel_test.h"

__global__ void fence_before_the_flag_kernel(float* out, float* part, unsigned* flags, unsigned* ticket,
                                             const float* in) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  if (tile % 2 == 0) {
    part[tile * 32 + threadIdx.x] = in[tile * 32 + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&flags[tile], 1u);
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flags[tile - 1], 0u) == 0u) {
      }
    }
    __syncthreads();
    __threadfence();
    const float other = part[(tile - 1) * 32 + threadIdx.x];
    out[tile / 2 * 32 + threadIdx.x] = other + in[tile * 32 + threadIdx.x];
  }
}

ASSAY_KERNEL_TEST(fence_before_the_flag) {
  float* const out = output<float>("out", 96);
  const float* const in = input<float>("in", 192);
  launch_kernel(fence_before_the_flag_kernel, {6, 32}, out, output<float>("part", 192),
                accumulated<unsigned>("flags", 6), accumulated<unsigned>("ticket", 1), in);
  for (int i = 0; i < 96; ++i)
    if (out[i] != in[i / 32 * 64 + i % 32] + in[i / 32 * 64 + 32 + i % 32]) return "a sum is wrong";
  return "";
}
