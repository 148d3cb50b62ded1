// EXPECT: PASS: only the first warp of a block shuffles, while the others wait at the next barrier.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void block_sums(int* out, const int* in) {
  __shared__ int partial[8], sum;
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < 8 ? partial[threadIdx.x] : 0;
    for (int offset = 4; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0) sum = value;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(one_warp_shuffles) {
  std::vector<int> in(4 * 256), out(4 * 256, -1);
  for (int i = 0; i < 1024; ++i) in[i] = i * 7 % 31;
  launch_kernel(block_sums, {4, 256}, out.data(), in.data());
  for (int b = 0; b < 4; ++b) {
    int sum = 0;
    for (int i = 0; i < 256; ++i) sum += in[b * 256 + i];
    for (int i = 0; i < 256; ++i)
      if (out[b * 256 + i] != sum) return "a block sum is wrong";
  }
  return "";
}
