// EXPECT: PASS: a top-k kernel counts into a shared counter that one thread cleared before a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void counter_cleared_with_barrier_kernel(int* out, const int* scores) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 0;
  __syncthreads();
  if (scores[threadIdx.x] > 15) atomicAdd(&kept, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = kept;
}

ASSAY_KERNEL_TEST(counter_cleared_with_barrier) {
  int* const out = output<int>("out", 1);
  const int* const scores = input<int>("scores", 64);
  launch_kernel(counter_cleared_with_barrier_kernel, {1, 64}, out, scores);
  int expected = 0;
  for (int i = 0; i < 64; ++i) expected += scores[i] > 15;
  return out[0] == expected ? "" : "the count is wrong";
}
