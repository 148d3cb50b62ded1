// EXPECT: PASS: every lane stores the same pair to the same address, by one instruction.
#include "harness/simt/tests/kernel_test.h"

__global__ void pairs_are_equal_kernel(int2* out) { out[0] = make_int2(7, 8); }

ASSAY_KERNEL_TEST(pairs_are_equal) {
  int2* const out = output<int2>("out", 1);
  launch_kernel(pairs_are_equal_kernel, {1, 32}, out);
  return out->x == 7 && out->y == 8 ? "" : "a value is wrong";
}
