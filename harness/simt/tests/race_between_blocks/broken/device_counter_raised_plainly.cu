// EXPECT: RACE: blocks raise a counter that is a variable of the file by plain increments.
#include "harness/simt/tests/kernel_test.h"

__device__ int device_counter_raised_plainly_counter = 0;

__global__ void device_counter_raised_plainly_kernel(const int* x) {
  if (threadIdx.x == 0 && x[blockIdx.x] > 5) ++device_counter_raised_plainly_counter;  // HERE
}

ASSAY_KERNEL_TEST(device_counter_raised_plainly) {
  launch_kernel(device_counter_raised_plainly_kernel, {16, 32}, input<int>("x", 16));
  return "";
}
