// EXPECT: PASS: a thread waits for what it copies and reads it; nobody else does.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void own_copy_after_its_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_commit_group();
  cp_async_wait_group<0>();
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(own_copy_after_its_wait) {
  launch_kernel(own_copy_after_its_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
