// EXPECT: RACE: a serial split-K block passes its output on before all of its threads have added to it.
// SAYS: c[
#include "harness/simt/tests/kernel_test.h"

__global__ void semaphore_raised_before_the_barrier_kernel(float* c, unsigned* semaphore, unsigned* ticket,
                                                           const float* part) {
  __shared__ unsigned turn;
  if (threadIdx.x == 0) {
    turn = atomicAdd(ticket, 1u);
    while (atomicAdd(semaphore, 0u) != turn) {
    }
  }
  __syncthreads();
  c[threadIdx.x] += part[turn * 64 + threadIdx.x];  // HERE
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(semaphore, 1u);
  }
}

ASSAY_KERNEL_TEST(semaphore_raised_before_the_barrier) {
  launch_kernel(semaphore_raised_before_the_barrier_kernel, {5, 64}, accumulated<float>("c", 64),
                accumulated<unsigned>("semaphore", 1), accumulated<unsigned>("ticket", 1), input<float>("part", 320));
  return "";
}
