// EXPECT: RACE: a second block sum fills the scratch array while others still read the first sum there.
#include "harness/simt/tests/kernel_test.h"

__device__ float scratch_reused_too_soon_sum(float value, float* scratch) {
  const int t = threadIdx.x;
  scratch[t] = value;  // HERE
  __syncthreads();
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) scratch[t] += scratch[t + stride];
    __syncthreads();
  }
  return scratch[0];  // HERE
}

__global__ void scratch_reused_too_soon_kernel(float* out, const float* x) {
  __shared__ float scratch[64];
  const float centred = x[threadIdx.x] - scratch_reused_too_soon_sum(x[threadIdx.x], scratch) / 64;
  const float variance = scratch_reused_too_soon_sum(centred * centred, scratch) / 64;
  out[threadIdx.x] = centred * rsqrtf(variance + 1e-5f);
}

ASSAY_KERNEL_TEST(scratch_reused_too_soon) {
  launch_kernel(scratch_reused_too_soon_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 64));
  return "";
}
