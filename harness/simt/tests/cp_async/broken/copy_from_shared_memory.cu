// EXPECT: OUT_OF_BOUNDS: a copy from one place of shared memory to another, which cp.async does not know.
// SAYS: but cp.async takes an address of global memory here
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void copy_from_shared_memory_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[64 + t] = in[t];
  cp_async<4>(&tile[t], &tile[64 + t]);  // HERE
  cp_async_wait_all();
  out[t] = tile[64 + t];
}

ASSAY_KERNEL_TEST(copy_from_shared_memory) {
  launch_kernel(copy_from_shared_memory_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
