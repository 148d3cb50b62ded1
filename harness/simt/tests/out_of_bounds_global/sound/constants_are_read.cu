// EXPECT: PASS: host code writes tables of constants, and a kernel reads them.
#include "harness/simt/tests/kernel_test.h"

extern __constant__ float constants_are_read_table[32];
__constant__ float constants_are_read_table[32];
static __constant__ const float constants_are_read_scale = 2;

__global__ void constants_are_read_kernel(float* out) {
  out[threadIdx.x] = constants_are_read_scale * constants_are_read_table[threadIdx.x];
}

ASSAY_KERNEL_TEST(constants_are_read) {
  for (int i = 0; i < 32; ++i) constants_are_read_table[i] = i;
  float* const out = output<float>("out", 32);
  launch_kernel(constants_are_read_kernel, {1, 32}, out);
  return out[31] == 62 ? "" : "a value is wrong";
}
