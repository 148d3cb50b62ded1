// EXPECT: PASS: every thread keeps 16 KB of its own across a barrier.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void fill_and_check(int* errors) {
  int local[4096];
  for (int i = 0; i < 4096; ++i) local[i] = i ^ (threadIdx.x * 4099);
  __syncthreads();
  int wrong = 0;
  for (int i = 0; i < 4096; ++i) wrong += local[i] != (i ^ static_cast<int>(threadIdx.x * 4099));
  if (wrong != 0) atomicAdd(errors, wrong);
}

ASSAY_KERNEL_TEST(large_local_arrays) {
  int errors = 0;
  launch_kernel(fill_and_check, {1, 128}, &errors);
  return errors == 0 ? "" : "a local array was overwritten";
}
