// EXPECT: MISMATCH NONFINITE. Every 64 keys are normalised by themselves.
// SMALLEST: B=1 Sq=1 Sk=65 H=1 HK=1
// Gradients of attention from scratch: probabilities first, then what flows back through them.
#include <cuda_runtime.h>
#include <math.h>

#define TILE 64

// p[i, j] = softmax over the keys j that query i sees; a thread to a query.
__global__ void probabilities(const float* q, const float* k, float* p, int B, int H, int HK, int Sq, int Sk, int D,
                              float scale, int causal) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= B * H * Sq) return;
  int i = row % Sq, h = row / Sq % H, b = row / Sq / H;
  int seen = causal ? max(0, min(Sk, i + Sk - Sq + 1)) : Sk;
  const float* qi = q + (size_t)row * D;
  const float* kh = k + (size_t)(b * HK + h / (H / HK)) * Sk * D;
  float* pi = p + (size_t)row * Sk;
  for (int j = 0; j < seen; ++j) {
    float s = 0.0f;
    for (int d = 0; d < D; ++d) s += qi[d] * kh[(size_t)j * D + d];
    pi[j] = s * scale;
  }
  for (int j0 = 0; j0 < seen; j0 += TILE) {
    int end = min(seen, j0 + TILE);
    float largest = -INFINITY, sum = 0.0f;
    for (int j = j0; j < end; ++j) largest = fmaxf(largest, pi[j]);
    for (int j = j0; j < end; ++j) sum += expf(pi[j] - largest);
    for (int j = j0; j < end; ++j) pi[j] = expf(pi[j] - largest) / sum;
  }
  for (int j = seen; j < Sk; ++j) pi[j] = 0.0f;
}

// A thread to a query again; keys are shared between queries, so their gradients are added atomically.
__global__ void gradients(const float* q, const float* k, const float* v, const float* dout, const float* p, float* dq,
                          float* dk, float* dv, int B, int H, int HK, int Sq, int Sk, int D, float scale) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= B * H * Sq) return;
  int h = row / Sq % H, b = row / Sq / H;
  size_t kv = (size_t)(b * HK + h / (H / HK)) * Sk * D;
  const float* pi = p + (size_t)row * Sk;
  const float* doi = dout + (size_t)row * D;
  float delta = 0.0f;
  for (int j = 0; j < Sk; ++j) {
    if (pi[j] == 0.0f) continue;
    float dp = 0.0f;
    for (int d = 0; d < D; ++d) dp += doi[d] * v[kv + (size_t)j * D + d];
    delta += pi[j] * dp;
  }
  for (int d = 0; d < D; ++d) dq[(size_t)row * D + d] = 0.0f;
  for (int j = 0; j < Sk; ++j) {
    if (pi[j] == 0.0f) continue;
    float dp = 0.0f;
    for (int d = 0; d < D; ++d) dp += doi[d] * v[kv + (size_t)j * D + d];
    float ds = pi[j] * (dp - delta) * scale;
    for (int d = 0; d < D; ++d) {
      dq[(size_t)row * D + d] += ds * k[kv + (size_t)j * D + d];
      atomicAdd(&dk[kv + (size_t)j * D + d], ds * q[(size_t)row * D + d]);
      atomicAdd(&dv[kv + (size_t)j * D + d], pi[j] * doi[d]);
    }
  }
}
