// EXPECT: PASS: rmsnorm scales by a shared factor that the first thread wrote before a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void inverse_rms_read_after_barrier_kernel(float* out, const float* x) {
  __shared__ float squares[64];
  __shared__ float inverse_rms;
  const int t = threadIdx.x;
  squares[t] = x[t] * x[t];
  __syncthreads();
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) squares[t] += squares[t + stride];
    __syncthreads();
  }
  if (t == 0) inverse_rms = rsqrtf(squares[0] / 64);
  __syncthreads();
  out[t] = x[t] * inverse_rms;
}

ASSAY_KERNEL_TEST(inverse_rms_read_after_barrier) {
  float* const out = output<float>("out", 64);
  launch_kernel(inverse_rms_read_after_barrier_kernel, {1, 64}, out, input<float>("x", 64));
  float squares = 0;
  for (int i = 0; i < 64; ++i) squares += out[i] * out[i];
  return squares > 63.9f && squares < 64.1f ? "" : "the scale is wrong";
}
