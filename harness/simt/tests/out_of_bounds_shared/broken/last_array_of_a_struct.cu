// EXPECT: OUT_OF_BOUNDS: a top-k list in a shared struct is read one past its last entry, in the next struct.
// SAYS: index 4 of 'float
#include "harness/simt/tests/kernel_test.h"

struct last_array_of_a_struct_list {
  int count;
  float values[4];
};

__global__ void last_array_of_a_struct_kernel(float* out, const float* x, int k) {
  __shared__ last_array_of_a_struct_list lists[33];
  const int t = threadIdx.x;
  lists[t].count = k;
  for (int i = 0; i < 4; ++i) lists[t].values[i] = x[t + i];
  if (t == 0) lists[32].count = 0;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i <= lists[t].count; ++i) sum += lists[t].values[i];  // HERE
  out[t] = sum;
}

ASSAY_KERNEL_TEST(last_array_of_a_struct) {
  launch_kernel(last_array_of_a_struct_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 35), 4);
  return "";
}
