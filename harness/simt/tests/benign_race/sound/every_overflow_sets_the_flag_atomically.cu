// EXPECT: PASS: threads of several blocks set the overflow flag of a gradient scaler by an atomic.
#include "harness/simt/tests/kernel_test.h"

__global__ void every_overflow_sets_the_flag_atomically_kernel(int* found, const float* gradient) {
  if (gradient[blockIdx.x * 32 + threadIdx.x] > 25) atomicOr(found, 1);
}

ASSAY_KERNEL_TEST(every_overflow_sets_the_flag_atomically) {
  int* const found = accumulated<int>("found", 1);
  launch_kernel(every_overflow_sets_the_flag_atomically_kernel, {4, 32}, found, input<float>("gradient", 128));
  return *found == 1 ? "" : "the flag is not set";
}
