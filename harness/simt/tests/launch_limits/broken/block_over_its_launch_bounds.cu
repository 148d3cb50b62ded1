// EXPECT: CRASH: a block of 96 threads for a kernel that declares 64.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

constexpr int kThreadsDeclared = 32;

__global__ void unbounded_neighbour(int* out) { out[threadIdx.x] = 1; }

template <int kWarps>
__global__ void __launch_bounds__(kWarps* kThreadsDeclared, 2) bounded(int* out) {
  out[threadIdx.x] = 1;
}

ASSAY_KERNEL_TEST(block_over_its_launch_bounds) {
  std::vector<int> out(96);
  launch_kernel(unbounded_neighbour, {1, 96}, out.data());
  launch_kernel(bounded<2>, {1, 64}, out.data());
  launch_kernel(bounded<2>, {1, 96}, out.data());
  return "";
}
