// EXPECT: RACE: a histogram counts tokens for each expert by plain additions.
#include "harness/simt/tests/kernel_test.h"

__global__ void histogram_with_plain_adds_kernel(int* counts, const int* experts) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  counts[experts[i]] += 1;  // HERE
}

ASSAY_KERNEL_TEST(histogram_with_plain_adds) {
  launch_kernel(histogram_with_plain_adds_kernel, {4, 64}, accumulated<int>("counts", 31), input<int>("experts", 256));
  return "";
}
