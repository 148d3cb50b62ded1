// EXPECT: PASS: a serial split-K block passes its output on when all of its threads have added to it.
#include "harness/simt/tests/kernel_test.h"

__global__ void semaphore_raised_after_the_barrier_kernel(float* c, unsigned* semaphore, unsigned* ticket,
                                                          const float* part) {
  __shared__ unsigned turn;
  if (threadIdx.x == 0) {
    turn = atomicAdd(ticket, 1u);
    while (atomicAdd(semaphore, 0u) != turn) {
    }
    __threadfence();
  }
  __syncthreads();
  c[threadIdx.x] += part[turn * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(semaphore, 1u);
  }
}

ASSAY_KERNEL_TEST(semaphore_raised_after_the_barrier) {
  float* const c = accumulated<float>("c", 64);
  const float* const part = input<float>("part", 320);
  launch_kernel(semaphore_raised_after_the_barrier_kernel, {5, 64}, c, accumulated<unsigned>("semaphore", 1),
                accumulated<unsigned>("ticket", 1), part);
  float expected = 0;
  for (int i = 0; i < 5; ++i) expected += part[i * 64 + 63];
  return c[63] == expected ? "" : "a sum is wrong";
}
