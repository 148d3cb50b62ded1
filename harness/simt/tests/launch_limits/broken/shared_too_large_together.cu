// EXPECT: CRASH: 48 KB of static and 180 KB of dynamic shared memory are more than the 227 KB of a block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void exchange_between_arrays(float* data) {
  __shared__ float of_fixed_size[12288];
  extern __shared__ float of_any_size[];
  of_fixed_size[threadIdx.x] = of_any_size[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = of_fixed_size[threadIdx.x ^ 1] + of_any_size[threadIdx.x ^ 1];
}

ASSAY_KERNEL_TEST(shared_too_large_together) {
  std::vector<float> data(32);
  launch_kernel(exchange_between_arrays, {1, 32, 180 * 1024}, data.data());
  return "";
}
