// EXPECT: PASS: a copy from global memory to shared memory.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void copy_to_shared_memory_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(copy_to_shared_memory) {
  launch_kernel(copy_to_shared_memory_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
