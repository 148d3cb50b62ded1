// EXPECT: UNINITIALISED: a thread reads what it copies without having waited.
// SAYS: the thread has not waited for its cp.async (own_copy_without_wait.cu:
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void own_copy_without_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);  // HERE
  cp_async_commit_group();
  out[t] = tile[t];  // HERE
}

ASSAY_KERNEL_TEST(own_copy_without_wait) {
  launch_kernel(own_copy_without_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
