// EXPECT: PASS: two copies from global memory.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void copy_from_global_memory_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[128];
  const int t = threadIdx.x;
  cp_async<4>(&tile[64 + t], &in[t]);
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(copy_from_global_memory) {
  launch_kernel(copy_from_global_memory_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
