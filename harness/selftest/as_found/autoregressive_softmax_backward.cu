// EXPECT: MISMATCH NONFINITE. The sum of a row ends before the token's own column.
// SMALLEST: rows=1 cols=1
// Attention's scores get their gradients back through a causal softmax. Four tokens of a head share a block, and the
// longest rows come first. What a token does not see is left as the caller cleared it.
#include <assert.h>
#include <cuda_runtime.h>
#include <math.h>


__device__ float sum_of_block(float val) {
  __shared__ float of_warps[32];
  for (int d = 16; d > 0; d >>= 1) val += __shfl_xor_sync(0xffffffff, val, d);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = val;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < blockDim.x / 32; w++) sum += of_warps[w];
  __syncthreads();
  return sum;
}

// dpreatt, datt, att: (B * NH, T, T)
template <int TOKENS>
__global__ void softmax_autoregressive_backward(float* dpreatt, const float* datt, const float* att, int T,
                                                float scale) {
  const size_t head = (size_t)blockIdx.y * T * T;
  for (int n = 0; n < TOKENS; n++) {
    int t = T - 1 - (blockIdx.x * TOKENS + n);
    if (t < 0) return;
    const float* a = att + head + (size_t)t * T;
    const float* da = datt + head + (size_t)t * T;
    float local = 0.f;
    for (int t2 = threadIdx.x; t2 < t; t2 += blockDim.x) local += a[t2] * da[t2];
    local = sum_of_block(local);
    for (int t2 = threadIdx.x; t2 <= t; t2 += blockDim.x)
      dpreatt[head + (size_t)t * T + t2] = scale * a[t2] * (da[t2] - local);
  }
}

void backward_of_attention_scores(float* dpreatt, const float* datt, const float* att, int B, int T, int C, int NH) {
  assert(C % NH == 0);
  const float scale = 1.f / sqrtf((float)(C / NH));
  cudaMemset(dpreatt, 0, (size_t)B * NH * T * T * sizeof(float));
  softmax_autoregressive_backward<4><<<dim3((T + 3) / 4, B * NH), 128>>>(dpreatt, datt, att, T, scale);
}
