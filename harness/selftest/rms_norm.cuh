// The common part of planted kernels of rms_norm_forward: a block per row, in f32.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

namespace assay::selftest {

// x, y: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x)  terms: that the sum of squares is divided by
static __global__ void rms_norm(const float* x, const float* gamma, float* y, float* rstd, int64_t dim, int64_t stride,
                                int64_t terms, float eps) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * stride;
  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += x[row + d] * x[row + d];
  squares = device::block_reduce(squares, scratch, device::Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(terms) + eps);
  for (int64_t d = threadIdx.x; d < stride; d += blockDim.x) y[row + d] = d < dim ? x[row + d] * inv * gamma[d] : 0;
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;
}

static void run_rms_norm(const Call& call, int64_t terms, float eps) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE");
  if (tokens == 0) return;
  launch(rms_norm, device::block_for_each(call, tokens), call.in<float>("x"), call.in<float>("gamma"),
         call.out<float>("y"), call.out<float>("rstd"), stride - call.dim("pad"), stride, terms, eps);
}

}  // namespace assay::selftest
