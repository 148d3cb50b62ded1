// A layer norm by shuffles: STEPS of a warp's sum, of which five are right, each over WIDTH lanes.
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int step = 0, offset = 16; step < STEPS; ++step, offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset, WIDTH);
  return v;
}

// A warp for each row of C numbers.
__global__ void layernorm_forward(const float* inp, const float* weight, const float* bias, float* out, float* mean,
                                  float* rstd, int N, int C) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= N) return;
  const float* x = inp + row * C;
  float sum = 0;
  for (int i = lane; i < C; i += 32) sum += x[i];
  const float m = warp_sum(sum) / C;
  float squares = 0;
  for (int i = lane; i < C; i += 32) squares += (x[i] - m) * (x[i] - m);
  const float s = rsqrtf(warp_sum(squares) / C + 1e-5f);
  for (int i = lane; i < C; i += 32) out[row * C + i] = (x[i] - m) * s * weight[i] + bias[i];
  if (lane == 0) {
    mean[row] = m;
    rstd[row] = s;
  }
}
