// EXPECT: PASS: blocks keep the largest absolute value for a quantisation by an atomic on its bits.
#include "harness/simt/tests/kernel_test.h"

__global__ void maximum_by_atomic_kernel(int* largest, const float* x) {
  atomicMax(largest, __float_as_int(fabsf(x[blockIdx.x * 32 + threadIdx.x])));
}

ASSAY_KERNEL_TEST(maximum_by_atomic) {
  int* const largest = accumulated<int>("largest", 1);
  launch_kernel(maximum_by_atomic_kernel, {4, 32}, largest, input<float>("x", 128));
  return *largest == 0x41f00000 ? "" : "the maximum is wrong";
}
