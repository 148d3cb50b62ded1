// EXPECT: RACE: a top-k kernel counts into a shared counter that one thread clears in the same interval.
// SAYS: shared kept[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void counter_cleared_without_barrier_kernel(int* out, const int* scores) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 0;                     // HERE
  if (scores[threadIdx.x] > 15) atomicAdd(&kept, 1);  // HERE
  __syncthreads();
  if (threadIdx.x == 0) out[0] = kept;
}

ASSAY_KERNEL_TEST(counter_cleared_without_barrier) {
  launch_kernel(counter_cleared_without_barrier_kernel, {1, 64}, output<int>("out", 1), input<int>("scores", 64));
  return "";
}
