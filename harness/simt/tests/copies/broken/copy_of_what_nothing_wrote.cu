// EXPECT: UNINITIALISED: std::copy takes more of an output than has been written.
// SAYS: y[
#include <algorithm>

#include "harness/simt/tests/kernel_test.h"

__global__ void copy_of_what_nothing_wrote_kernel(float* y, int n) {
  y[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) std::copy(y, y + n, y + 64);  // HERE
}

ASSAY_KERNEL_TEST(copy_of_what_nothing_wrote) {
  launch_kernel(copy_of_what_nothing_wrote_kernel, {1, 32}, output<float>("y", 128), 33);
  return "";
}
