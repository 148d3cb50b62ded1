// EXPECT: UNINITIALISED: half of a shared array is read and never written, whatever an earlier block left.
// SAYS: shared tile[
// SAYS: this block has not written it
#include "harness/simt/tests/kernel_test.h"

__global__ void shared_before_written_kernel(float* out, const float* in) {
  __shared__ float tile[64];
  if (threadIdx.x < 32 || blockIdx.x == 0) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(shared_before_written) {
  launch_kernel(shared_before_written_kernel, {3, 64}, output<float>("out", 192), input<float>("in", 64));
  return "";
}
