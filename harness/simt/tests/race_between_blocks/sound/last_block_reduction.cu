// EXPECT: PASS: blocks publish partial sums behind a fence, and the one that counts to the end adds them up.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__device__ unsigned blocks_done = 0;

__global__ void sum_all(int* total, volatile int* partial, const int* in) {
  __shared__ int data[128];
  __shared__ bool last;
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) data[t] += data[t + stride];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = data[0];
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int i = t; i < gridDim.x; i += 128) sum += partial[i];
  atomicAdd(total, sum);
}

ASSAY_KERNEL_TEST(last_block_reduction) {
  std::vector<int> in(40 * 128), partial(40);
  int expected = 0, total = 0;
  for (int i = 0; i < 40 * 128; ++i) expected += in[i] = i % 97;
  launch_kernel(sum_all, {40, 128}, &total, partial.data(), in.data());
  return total == expected ? "" : "the total is wrong";
}
