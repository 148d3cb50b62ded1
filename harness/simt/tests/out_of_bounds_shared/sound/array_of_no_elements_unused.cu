// EXPECT: PASS: an array whose size comes to 0 for this instance of the template, which does not use it then.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

template <int kExtra>
__global__ void array_of_no_elements_unused_kernel(float* y) {
  __shared__ float extra[kExtra];
  __shared__ float tile[8];
  tile[threadIdx.x] = threadIdx.x;
  if (int(threadIdx.x) < kExtra) extra[threadIdx.x] = 0;
  __syncthreads();
  y[threadIdx.x] = tile[7 - threadIdx.x] + (int(threadIdx.x) < kExtra ? extra[threadIdx.x] : 0);
}

ASSAY_KERNEL_TEST(array_of_no_elements_unused) {
  float* const y = output<float>("y", 8);
  launch_kernel(array_of_no_elements_unused_kernel<0>, {1, 8}, y);
  return y[0] == 7 && y[7] == 0 ? "" : "wrong";
}
