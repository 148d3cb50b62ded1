// EXPECT: PASS: the next copy begins behind a barrier after the last reads.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void into_a_buffer_that_is_free_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  __syncthreads();
  out[t] = tile[63 - t];
  __syncthreads();
  cp_async<4>(&tile[t], &in[64 + t]);
  cp_async_wait_all();
  __syncthreads();
  out[64 + t] = tile[63 - t];
}

ASSAY_KERNEL_TEST(into_a_buffer_that_is_free) {
  launch_kernel(into_a_buffer_that_is_free_kernel, {1, 64}, output<float>("out", 128), input<float>("in", 128));
  return "";
}
