// EXPECT: PASS: blocks raise a counter that is a variable of the file by atomics, between launches that set and read
// it.
#include "harness/simt/tests/kernel_test.h"

__device__ int device_counter_raised_atomically_counter = 0;

__global__ void device_counter_raised_atomically_clear_kernel() {
  if (threadIdx.x == 0) device_counter_raised_atomically_counter = 0;
}
__global__ void device_counter_raised_atomically_kernel(const int* x) {
  if (threadIdx.x == 0 && x[blockIdx.x] > 5) atomicAdd(&device_counter_raised_atomically_counter, 1);
}
__global__ void device_counter_raised_atomically_read_kernel(int* out) {
  out[threadIdx.x] = device_counter_raised_atomically_counter;
}

ASSAY_KERNEL_TEST(device_counter_raised_atomically) {
  int* const out = output<int>("out", 32);
  const int* const x = input<int>("x", 16);
  launch_kernel(device_counter_raised_atomically_clear_kernel, {1, 32});
  launch_kernel(device_counter_raised_atomically_kernel, {16, 32}, x);
  launch_kernel(device_counter_raised_atomically_read_kernel, {1, 32}, out);
  int expected = 0;
  for (int i = 0; i < 16; ++i) expected += x[i] > 5;
  return out[31] == expected ? "" : "the count is wrong";
}
