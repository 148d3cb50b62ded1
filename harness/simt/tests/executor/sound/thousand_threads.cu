// EXPECT: PASS: blocks of 1024 threads reverse their part of an array.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void __launch_bounds__(1024) reverse(int* data) {
  __shared__ int tile[1024];
  data += blockIdx.x * 1024;
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[1023 - threadIdx.x];
}

ASSAY_KERNEL_TEST(thousand_threads) {
  std::vector<int> data(3072);
  for (int i = 0; i < 3072; ++i) data[i] = i;
  launch_kernel(reverse, {3, 1024}, data.data());
  for (int i = 0; i < 3072; ++i)
    if (data[i] != i / 1024 * 1024 + 1023 - i % 1024) return "an element is out of place";
  return "";
}
