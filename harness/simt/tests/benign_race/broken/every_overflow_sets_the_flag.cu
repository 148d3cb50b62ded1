// EXPECT: RACE: threads of several blocks set the overflow flag of a gradient scaler to the same value.
// SAYS: found[0]: write by thread
#include "harness/simt/tests/kernel_test.h"

__global__ void every_overflow_sets_the_flag_kernel(int* found, const float* gradient) {
  if (gradient[blockIdx.x * 32 + threadIdx.x] > 25) found[0] = 1;  // HERE
}

ASSAY_KERNEL_TEST(every_overflow_sets_the_flag) {
  launch_kernel(every_overflow_sets_the_flag_kernel, {4, 32}, accumulated<int>("found", 1),
                input<float>("gradient", 128));
  return "";
}
