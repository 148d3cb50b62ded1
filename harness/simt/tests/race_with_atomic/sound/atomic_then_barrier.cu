// EXPECT: PASS: a counter in shared memory is read after a barrier, and a maximum is kept by compare-and-swap.
#include "harness/simt/tests/kernel_test.h"

__global__ void atomic_then_barrier_kernel(int* out, int* largest, const int* in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int mine = in[threadIdx.x];
  if (mine > 15) atomicAdd(&count, 1);
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = count;
  int old = *largest, assumed;
  do {
    assumed = old;
    old = atomicCAS(largest, assumed, max(assumed, mine));
  } while (old != assumed);
}

ASSAY_KERNEL_TEST(atomic_then_barrier) {
  int *const out = output<int>("out", 192), *const largest = accumulated<int>("largest", 1);
  launch_kernel(atomic_then_barrier_kernel, {2, 96}, out, largest, input<int>("in", 96));
  return out[0] == out[191] && *largest == 30 ? "" : "a result is wrong";
}
