// EXPECT: PASS: a block sum leaves its scratch array to the next one behind a barrier.
#include "harness/simt/tests/kernel_test.h"

__device__ float scratch_reused_after_barrier_sum(float value, float* scratch) {
  const int t = threadIdx.x;
  scratch[t] = value;
  __syncthreads();
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) scratch[t] += scratch[t + stride];
    __syncthreads();
  }
  const float sum = scratch[0];
  __syncthreads();
  return sum;
}

__global__ void scratch_reused_after_barrier_kernel(float* out, const float* x) {
  __shared__ float scratch[64];
  const float centred = x[threadIdx.x] - scratch_reused_after_barrier_sum(x[threadIdx.x], scratch) / 64;
  const float variance = scratch_reused_after_barrier_sum(centred * centred, scratch) / 64;
  out[threadIdx.x] = centred * rsqrtf(variance + 1e-5f);
}

ASSAY_KERNEL_TEST(scratch_reused_after_barrier) {
  float* const out = output<float>("out", 64);
  launch_kernel(scratch_reused_after_barrier_kernel, {1, 64}, out, input<float>("x", 64));
  float squares = 0;
  for (int i = 0; i < 64; ++i) squares += out[i] * out[i];
  return squares > 63.9f && squares < 64.1f ? "" : "the variance is wrong";
}
