// EXPECT: MISMATCH NONFINITE. Elements of a head past the last multiple of 32 are left out.
// SMALLEST: B=1 S=1 H=1 D=1
// Preprocess step of an attention backward: delta = rowsum(dO * O), a warp to each head of a token.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define WARP 32
#define BLOCK 256
#define WARPS (BLOCK / WARP)
#define FULL_MASK 0xffffffffu
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define WARP_REDUCE(v)                                         \
  _Pragma("unroll") for (int o = WARP / 2; o > 0; o >>= 1) v += __shfl_down_sync(FULL_MASK, v, o)

__global__ void __launch_bounds__(BLOCK) attention_delta(const float* __restrict__ dout, const float* __restrict__ out,
                                                         float* __restrict__ delta, int B, int S, int NH, int HS) {
  const int warp = blockIdx.x * WARPS + threadIdx.x / WARP;
  const int lane = threadIdx.x % WARP;
  if (warp >= B * S * NH) return;
  const float* a = dout + (size_t)warp * HS;
  const float* b = out + (size_t)warp * HS;
  float acc = 0.f;
#pragma unroll 4
  for (int i = 0; i < HS / WARP; ++i) {
    const int d = i * WARP + lane;
    acc += a[d] * b[d];
  }
  WARP_REDUCE(acc);
  if (lane == 0) delta[warp] = acc;
}

extern "C" void launch_attention_delta(const float* dout, const float* out, float* delta, int B, int S, int NH, int HS,
                                       cudaStream_t stream) {
  attention_delta<<<DIV_UP(B * S * NH, WARPS), BLOCK, 0, stream>>>(dout, out, delta, B, S, NH, HS);
}
