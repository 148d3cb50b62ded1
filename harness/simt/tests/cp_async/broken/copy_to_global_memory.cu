// EXPECT: OUT_OF_BOUNDS: a copy from global memory to global memory, which cp.async does not know.
// SAYS: but cp.async takes an address of shared memory here
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void copy_to_global_memory_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  cp_async<4>(&out[t], &in[t]);  // HERE
  cp_async_wait_all();
  if (tile[t] < 0) out[t] = 0;
}

ASSAY_KERNEL_TEST(copy_to_global_memory) {
  launch_kernel(copy_to_global_memory_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
