// EXPECT: MISMATCH NONFINITE. Query head h reads key head h % HK, not h / (H / HK).
// SMALLEST: B=1 Sq=1 H=4 HK=2
// Attention forward in tiles of keys, kept in shared memory, with one running softmax per query.
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int Bc = 32;  // keys of a tile, and queries of a block

__global__ void flash_fwd(float* Q, float* K, float* V, float* O, float* L, int n_q, int n_k, int h, int h_k, int d,
                          int q_batch_stride, int q_head_stride, int k_batch_stride, int k_head_stride,
                          float softmax_scale, int is_causal) {
  extern __shared__ float smem[];
  float* sK = smem;
  float* sV = smem + Bc * d;
  float* sO = smem + 2 * Bc * d;

  const int tx = threadIdx.x, batch = blockIdx.z, head = blockIdx.y;
  const int i = blockIdx.x * Bc + tx;
  const int head_k = head % h_k;
  const float* q = Q + batch * q_batch_stride + head * q_head_stride;
  const float* k = K + batch * k_batch_stride + head_k * k_head_stride;
  const float* v = V + batch * k_batch_stride + head_k * k_head_stride;

  float m = -CUDART_INF_F, l = 0.f;
  for (int x = 0; x < d; x++) sO[tx * d + x] = 0.f;
  const int seen = is_causal ? min(n_k, i + n_k - n_q + 1) : n_k;

  for (int j0 = 0; j0 < n_k; j0 += Bc) {
    for (int x = tx; x < Bc * d; x += Bc) {
      const bool there = j0 + x / d < n_k;
      sK[x] = there ? k[j0 * d + x] : 0.f;
      sV[x] = there ? v[j0 * d + x] : 0.f;
    }
    __syncthreads();
    if (i < n_q)
      for (int j = 0; j < Bc && j0 + j < seen; j++) {
        float s = 0.f;
        for (int x = 0; x < d; x++) s += q[i * d + x] * sK[j * d + x];
        s *= softmax_scale;
        const float m_new = fmaxf(m, s);
        const float rescale = m == m_new ? 1.f : __expf(m - m_new);
        const float p = s == m_new ? 1.f : __expf(s - m_new);
        l = l * rescale + p;
        for (int x = 0; x < d; x++) sO[tx * d + x] = sO[tx * d + x] * rescale + p * sV[j * d + x];
        m = m_new;
      }
    __syncthreads();
  }

  if (i >= n_q) return;
  const int out = batch * q_batch_stride + head * q_head_stride + i * d;
  for (int x = 0; x < d; x++) O[out + x] = l == 0.f ? 0.f : sO[tx * d + x] / l;
  L[(batch * h + head) * n_q + i] = l == 0.f ? -CUDART_INF_F : m + logf(l);
}
