// EXPECT: PASS: a histogram counts tokens for each expert by atomic additions.
#include "harness/simt/tests/kernel_test.h"

__global__ void histogram_with_atomics_kernel(int* counts, const int* experts) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  atomicAdd(&counts[experts[i]], 1);
}

ASSAY_KERNEL_TEST(histogram_with_atomics) {
  int* const counts = accumulated<int>("counts", 31);
  launch_kernel(histogram_with_atomics_kernel, {4, 64}, counts, input<int>("experts", 256));
  int sum = 0;
  for (int i = 0; i < 31; ++i) sum += counts[i];
  return sum == 256 && counts[0] == 9 ? "" : "a count is wrong";
}
