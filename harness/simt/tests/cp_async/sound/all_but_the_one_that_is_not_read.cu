// EXPECT: PASS: of two groups the elder is read after a wait that leaves one out, the younger after one for all.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void all_but_the_one_that_is_not_read_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[128];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_commit_group();
  cp_async<4>(&tile[64 + t], &in[64 + t]);
  cp_async_commit_group();
  cp_async_wait_group<1>();
  out[t] = tile[t];
  cp_async_wait_group<0>();
  out[64 + t] = tile[64 + t];
}

ASSAY_KERNEL_TEST(all_but_the_one_that_is_not_read) {
  launch_kernel(all_but_the_one_that_is_not_read_kernel, {1, 64}, output<float>("out", 128), input<float>("in", 128));
  return "";
}
