// EXPECT: MISMATCH PROPERTY. The sum of squares is divided by the width of the row with its padding.
// SMALLEST: T=1 aE=2 pad=1 block=32
// TWIN: The sum of squares is divided by the number of its terms.
#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace {

// x, y: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x)
__global__ void rms_norm(const float* x, const float* gamma, float* y, float* rstd, int64_t dim, int64_t stride,
                         float eps) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * stride;
  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += x[row + d] * x[row + d];
  squares = assay::device::block_reduce(squares, scratch, assay::device::Add());
#if ASSAY_PLANTED
  const float inv = 1 / sqrtf(squares / static_cast<float>(stride) + eps);
#else
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
#endif
  for (int64_t d = threadIdx.x; d < stride; d += blockDim.x) y[row + d] = d < dim ? x[row + d] * inv * gamma[d] : 0;
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE");
  if (tokens == 0) return;
  assay::launch(rms_norm, {.grid = dim3(static_cast<unsigned>(tokens)), .block = dim3(call.block())},
                call.in<float>("x"), call.in<float>("gamma"), call.out<float>("y"), call.out<float>("rstd"),
                stride - call.dim("pad"), stride, call.real("eps"));
}

const assay::RegisterVariant kVariant({.op = "rms_norm_forward",
                                       .name = ASSAY_PLANTED ? "mean_over_padding" : "mean_over_row",
                                       .summary = ASSAY_PLANTED ? "takes the mean over the padded row"
                                                                : "takes the mean over the row without its padding",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
