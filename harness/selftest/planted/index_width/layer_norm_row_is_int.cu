// EXPECT: OUT_OF_BOUNDS. Where a row begins is an int, and negative from 2^31 elements on.
// SMALLEST: block=32
// SUITE: huge
// TWIN: It has 64 bits.
#include "harness/selftest/rows.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, int, int64_t>;
using assay::device::Add, assay::device::block_reduce;

// x, y: (gridDim.x, dim)  gamma, beta: (dim)  mean, rstd: (gridDim.x)
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd,
                           int64_t dim, float eps) {
  __shared__ float scratch[128];
  const Index row = static_cast<Index>(int64_t{blockIdx.x} * dim);
  float sum = 0, squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) sum += x[row + d];
  const float count = static_cast<float>(dim), centre = block_reduce(sum, scratch, Add()) / count;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += (x[row + d] - centre) * (x[row + d] - centre);
  const float inv = 1 / sqrtf(block_reduce(squares, scratch, Add()) / count + eps);
  if (threadIdx.x == 0) mean[blockIdx.x] = centre, rstd[blockIdx.x] = inv;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) y[row + d] = (x[row + d] - centre) * inv * gamma[d] + beta[d];
}

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "layer_norm_forward",
                                                                  .name = ASSAY_PLANTED ? "row_is_int" : "row_is_long",
                                                                  .run = assay::selftest::run_layer_norm<layer_norm>});
