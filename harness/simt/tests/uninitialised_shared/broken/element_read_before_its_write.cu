// EXPECT: UNINITIALISED: each thread reads its element of shared memory, and only then writes it.
// SAYS: shared latest[
// SAYS: this block has not written it
#include "harness/simt/tests/kernel_test.h"

__global__ void element_read_before_its_write_kernel(float* out, const float* in) {
  __shared__ float latest[64];
  const int t = threadIdx.x;
  out[t] = latest[t];  // HERE
  latest[t] = in[t];
  __syncthreads();
  out[64 + t] = latest[63 - t];
}

ASSAY_KERNEL_TEST(element_read_before_its_write) {
  launch_kernel(element_read_before_its_write_kernel, {1, 64}, output<float>("out", 128), input<float>("in", 64));
  return "";
}
