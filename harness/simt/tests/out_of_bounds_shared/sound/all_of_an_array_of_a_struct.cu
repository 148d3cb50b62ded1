// EXPECT: PASS: a top-k list in a shared struct is read up to its last entry.
#include "harness/simt/tests/kernel_test.h"

struct all_of_an_array_of_a_struct_list {
  int count;
  float values[4];
};

__global__ void all_of_an_array_of_a_struct_kernel(float* out, const float* x, int k) {
  __shared__ all_of_an_array_of_a_struct_list lists[32];
  const int t = threadIdx.x;
  lists[t].count = k;
  for (int i = 0; i < 4; ++i) lists[t].values[i] = x[t + i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < lists[t].count; ++i) sum += lists[t].values[i];
  out[t] = sum;
}

ASSAY_KERNEL_TEST(all_of_an_array_of_a_struct) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 35);
  launch_kernel(all_of_an_array_of_a_struct_kernel, {1, 32}, out, x, 4);
  return out[31] == x[31] + x[32] + x[33] + x[34] ? "" : "a sum is wrong";
}
