// Benchmark (b): naive causal attention backward from the forward's LSE and delta, one block for each query and head.
// Every key costs two block-wide reductions of 256 threads (18 barriers), and dK and dV are summed by float atomics.
#include <cuda_runtime.h>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/include/simt/launch.h"

// The sum of `value` over the block. `partial` alternates between two arrays, so that nobody still reads the last sum.
__device__ float block_sum(float* partial, float value) {
  const int t = threadIdx.x;
  partial[t] = value;
  __syncthreads();
  for (int stride = 128; stride > 0; stride >>= 1) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  return partial[0];
}

__global__ void attention_backward_kernel(float* dq, float* dk, float* dv, const float* q, const float* k,
                                          const float* v, const float* grad, const float* lse, const float* delta,
                                          int heads, int dim, float scale) {
  __shared__ float partial[2][256];
  const int t = threadIdx.x, i = blockIdx.x, row = heads * dim;
  const int base = blockIdx.y * dim + t;
  const bool has_lane = t < dim;
  const float my_q = has_lane ? q[i * row + base] : 0.0f, my_grad = has_lane ? grad[i * row + base] : 0.0f;
  const float my_lse = lse[i * heads + blockIdx.y], my_delta = delta[i * heads + blockIdx.y];
  float my_dq = 0.0f;
  for (int j = 0; j <= i; ++j) {
    const float score = block_sum(partial[0], has_lane ? my_q * k[j * row + base] : 0.0f);
    const float dp = block_sum(partial[1], has_lane ? my_grad * v[j * row + base] : 0.0f);
    if (!has_lane) continue;
    const float p = __expf(score * scale - my_lse);
    const float ds = p * (dp - my_delta) * scale;
    my_dq += ds * k[j * row + base];
    atomicAdd(&dk[j * row + base], ds * my_q);
    atomicAdd(&dv[j * row + base], p * my_grad);
  }
  if (has_lane) dq[i * row + base] = my_dq;
}

__attribute__((visibility("default"))) void assay::bench::attention_backward(float* dq, float* dk, float* dv,
                                                                             const float* q, const float* k,
                                                                             const float* v, const float* grad,
                                                                             const float* lse, const float* delta,
                                                                             int tokens, int heads, int dim) {
  const float scale = 1.0f / sqrtf(static_cast<float>(dim));
  simt::launch_kernel(attention_backward_kernel,
                      {dim3(static_cast<unsigned>(tokens), static_cast<unsigned>(heads)), 256}, dq, dk, dv, q, k, v,
                      grad, lse, delta, heads, dim, scale);
}
