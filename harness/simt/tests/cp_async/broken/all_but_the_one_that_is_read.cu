// EXPECT: UNINITIALISED: two groups are copied, the younger one is read, and the wait leaves one group out.
// SAYS: shared tile[64]
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void all_but_the_one_that_is_read_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[128];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_commit_group();
  cp_async<4>(&tile[64 + t], &in[64 + t]);  // HERE
  cp_async_commit_group();
  cp_async_wait_group<1>();
  out[t] = tile[t];
  out[64 + t] = tile[64 + t];  // HERE
}

ASSAY_KERNEL_TEST(all_but_the_one_that_is_read) {
  launch_kernel(all_but_the_one_that_is_read_kernel, {1, 64}, output<float>("out", 128), input<float>("in", 128));
  return "";
}
