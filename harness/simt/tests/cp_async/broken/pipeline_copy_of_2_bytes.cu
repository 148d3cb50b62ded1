// EXPECT: CRASH: an asynchronous copy of a single 16-bit element, which there is not.
// RUNS IN: fast and checked
#include <cuda_pipeline_primitives.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void pipeline_copy_of_2_bytes_kernel(unsigned short* out, const unsigned short* in) {
  __shared__ unsigned short tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(unsigned short));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = tile[threadIdx.x];
}

ASSAY_KERNEL_TEST(pipeline_copy_of_2_bytes) {
  std::vector<unsigned short> in(32), out(32);
  launch_kernel(pipeline_copy_of_2_bytes_kernel, {1, 32}, out.data(), in.data());
  return "";
}
