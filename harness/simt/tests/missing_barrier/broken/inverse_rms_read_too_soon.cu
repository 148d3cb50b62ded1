// EXPECT: RACE: rmsnorm scales by a shared factor that the first thread has yet to write.
// SAYS: shared inverse_rms[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void inverse_rms_read_too_soon_kernel(float* out, const float* x) {
  __shared__ float squares[64];
  __shared__ float inverse_rms;
  const int t = threadIdx.x;
  squares[t] = x[t] * x[t];
  __syncthreads();
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) squares[t] += squares[t + stride];
    __syncthreads();
  }
  if (t == 0) inverse_rms = rsqrtf(squares[0] / 64);  // HERE
  out[t] = x[t] * inverse_rms;                        // HERE
}

ASSAY_KERNEL_TEST(inverse_rms_read_too_soon) {
  launch_kernel(inverse_rms_read_too_soon_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 64));
  return "";
}
