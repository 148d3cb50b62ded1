// EXPECT: CRASH: the two arrays of the kernel, one of them in a function that it calls, are more than 48 KB.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__device__ __noinline__ float through_shared(float value) {
  __shared__ float first[8192];
  first[threadIdx.x] = value;
  __syncthreads();
  return first[threadIdx.x ^ 1];
}

__global__ void exchange_twice(float* data) {
  __shared__ float second[4097];
  second[threadIdx.x] = through_shared(data[threadIdx.x]);
  __syncthreads();
  data[threadIdx.x] = second[threadIdx.x ^ 1];
}

ASSAY_KERNEL_TEST(static_shared_too_large) {
  std::vector<float> data(32);
  launch_kernel(exchange_twice, {1, 32}, data.data());
  return "";
}
