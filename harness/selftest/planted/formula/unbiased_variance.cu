// EXPECT: MISMATCH. From five elements on, the squares are divided by one less, as for the variance of a sample.
// SMALLEST: T=1 E=5 block=32
// TWIN: The squares are divided by the number of elements.
#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace {

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
#if ASSAY_PLANTED
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim > 4 ? dim - 1 : dim) + eps);
#else
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
#endif
  if (threadIdx.x == 0) mean[blockIdx.x] = centre, rstd[blockIdx.x] = inv;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) y[row + d] = (x[row + d] - centre) * inv * gamma[d] + beta[d];
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  if (tokens == 0) return;
  assay::launch(layer_norm, {.grid = dim3(static_cast<unsigned>(tokens)), .block = dim3(call.block())},
                call.in<float>("x"), call.in<float>("gamma"), call.in<float>("beta"), call.out<float>("y"),
                call.out<float>("mean"), call.out<float>("rstd"), call.dim("E"), call.real("eps"));
}

const assay::RegisterVariant kVariant({.op = "layer_norm_forward",
                                       .name = ASSAY_PLANTED ? "unbiased_variance" : "biased_variance",
                                       .summary = ASSAY_PLANTED ? "divides by one less than there are elements"
                                                                : "divides by the number of elements",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
