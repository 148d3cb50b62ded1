// Causal attention by a block for each query; q, k, v and out are (B, H, S, D). NO_BARRIER lets thread 0 read what
// others have not written yet.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

__global__ void attention(const float* q, const float* k, const float* v, float* out, int B, int H, int S, int D) {
  extern __shared__ float p[];
  int s = blockIdx.x % S, bh = blockIdx.x / S;
  const float* qr = q + ((size_t)bh * S + s) * D;
  float scale = 1.0f / sqrtf((float)D);
  for (int j = threadIdx.x; j <= s; j += blockDim.x) {
    float dot = 0;
    for (int d = 0; d < D; ++d) dot += qr[d] * k[((size_t)bh * S + j) * D + d];
    p[j] = dot * scale;
  }
#ifdef NO_BARRIER
  __syncwarp();
#else
  __syncthreads();
#endif
  __shared__ float m, sum;
  if (threadIdx.x == 0) {
    m = -INFINITY;
    sum = 0;
    for (int j = 0; j <= s; ++j) m = fmaxf(m, p[j]);
    for (int j = 0; j <= s; ++j) sum += expf(p[j] - m);
  }
  __syncthreads();
  for (int d = threadIdx.x; d < D; d += blockDim.x) {
    float acc = 0;
    for (int j = 0; j <= s; ++j) acc += expf(p[j] - m) * v[((size_t)bh * S + j) * D + d];
    out[((size_t)bh * S + s) * D + d] = acc / sum;
  }
}
int main() {
  int B = 2, H = 4, S = 64, D = 32;
  size_t n = (size_t)B * H * S * D;
  float *q, *k, *v, *o;
  cudaMalloc(&q, n * 4);
  cudaMalloc(&k, n * 4);
  cudaMalloc(&v, n * 4);
  cudaMalloc(&o, n * 4);
  attention<<<B * H * S, 128, S * sizeof(float)>>>(q, k, v, o, B, H, S, D);
  printf("%d\n", (int)cudaDeviceSynchronize());
}
