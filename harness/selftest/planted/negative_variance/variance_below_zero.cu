// EXPECT: NONFINITE MISMATCH. The mean square less the square of the mean may come out below -eps: the root is NaN.
// SMALLEST: block=32
// TWIN: The same difference, 0 where it is less. fmaxf would do that to a NaN too.
#include "harness/selftest/rows.cuh"

using assay::device::Add, assay::device::block_reduce;

// x, y: (gridDim.x, dim)  gamma, beta: (dim)  mean, rstd: (gridDim.x)
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, float* mean, float* rstd,
                           int64_t dim, float eps) {
  __shared__ float scratch[128];
  const int64_t row = blockIdx.x * dim;
  float sum = 0, squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    sum += x[row + d];
    squares += x[row + d] * x[row + d];
  }
  const float count = static_cast<float>(dim), centre = block_reduce(sum, scratch, Add()) / count;
  const float difference = block_reduce(squares, scratch, Add()) / count - centre * centre;
  const float variance = !ASSAY_PLANTED && difference < 0 ? 0 : difference;
  const float inv = 1 / sqrtf(variance + eps);
  if (threadIdx.x == 0) mean[blockIdx.x] = centre, rstd[blockIdx.x] = inv;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) y[row + d] = (x[row + d] - centre) * inv * gamma[d] + beta[d];
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "layer_norm_forward",
                              .name = ASSAY_PLANTED ? "variance_below_zero" : "variance_from_zero",
                              .run = assay::selftest::run_layer_norm<layer_norm>});
