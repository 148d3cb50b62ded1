// Kernels as their adapters beside this file had them before their ops got attributes.
#include <cuda_runtime.h>

// x, out: (T, H, D)  inv_freq: (D/2). Pairs are half a head apart, which is all that rope was.
__global__ void rope(const float* x, const float* inv_freq, float* out, int T, int H, int D, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, half = D / 2;
  if (i >= T * H * half) return;
  const int d = i % half, head = i / half, first = head * D + d, second = first + half;
  float s, c;
  sincosf((float)(head / H + offset) * inv_freq[d], &s, &c);
  out[first] = x[first] * c - x[second] * s;
  out[second] = x[second] * c + x[first] * s;
}

// A thread for each row: independent rows, without a mask or a scale.
__global__ void softmax(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || cols == 0) return;
  const float* in = x + (long long)row * cols;
  float m = in[0], sum = 0;
  for (int j = 0; j < cols; ++j) m = in[j] > m || in[j] != in[j] ? in[j] : m;
  for (int j = 0; j < cols; ++j) sum += expf(in[j] - m);
  for (int j = 0; j < cols; ++j) y[(long long)row * cols + j] = expf(in[j] - m) / sum;
}
