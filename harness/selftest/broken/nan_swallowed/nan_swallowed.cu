// EXPECT: NONFINITE. fmaxf and fminf drop a NaN, so it ends as an ordinary number: exp(0) / total.
// SMALLEST: rows=1 cols=1 block=32
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = fmaxf(maximum, x[c]);
  maximum = assay::device::block_reduce(maximum, scratch, [](float a, float b) { return fmaxf(a, b); });
  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(fminf(x[c] - maximum, 0));
  total = assay::device::block_reduce(total, scratch, assay::device::Add());
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(fminf(x[c] - maximum, 0)) / total;
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "nan_swallowed",
                                       .summary = "a NaN comes out as a number",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
