// EXPECT: MISMATCH. From five elements on, the squares are divided by one less, as for the variance of a sample.
// SMALLEST: T=1 E=5 block=32
// TWIN: The squares are divided by the number of elements.
#include "harness/selftest/rows.cuh"

using assay::device::Add, assay::device::block_reduce;

// x, y: (gridDim.x, dim)  gamma, beta: (dim)  mean, rstd: (gridDim.x)
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd,
                           int64_t dim, float eps) {
  __shared__ float scratch[128];
  const int64_t row = blockIdx.x * dim;
  float sum = 0, squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) sum += x[row + d];
  const float centre = block_reduce(sum, scratch, Add()) / static_cast<float>(dim);
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += (x[row + d] - centre) * (x[row + d] - centre);
  squares = block_reduce(squares, scratch, Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(ASSAY_PLANTED && dim > 4 ? dim - 1 : dim) + eps);
  if (threadIdx.x == 0) mean[blockIdx.x] = centre, rstd[blockIdx.x] = inv;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) y[row + d] = (x[row + d] - centre) * inv * gamma[d] + beta[d];
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "layer_norm_forward",
                              .name = ASSAY_PLANTED ? "unbiased_variance" : "biased_variance",
                              .run = assay::selftest::run_layer_norm<layer_norm>});
