// EXPECT: NONFINITE. fmaxf and fminf drop a NaN, so it ends as an ordinary number: exp(0) / total.
// SMALLEST: rows=1 cols=1 block=32
// TWIN: A NaN is the largest of all, so it makes its row NaN.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float maximum = -INFINITY;
#if ASSAY_PLANTED
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = fmaxf(maximum, x[c]);
  maximum = assay::device::block_reduce(maximum, scratch, [](float a, float b) { return fmaxf(a, b); });
#else
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = assay::device::Larger()(maximum, x[c]);
  maximum = assay::device::block_reduce(maximum, scratch, assay::device::Larger());
#endif
  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    total += expf(ASSAY_PLANTED ? fminf(x[c] - maximum, 0) : x[c] - maximum);
  total = assay::device::block_reduce(total, scratch, assay::device::Add());
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y[c] = expf(ASSAY_PLANTED ? fminf(x[c] - maximum, 0) : x[c] - maximum) / total;
}

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "softmax_forward",
                                                                  .name = ASSAY_PLANTED ? "nan_swallowed" : "nan_kept",
                                                                  .run = assay::selftest::run_rows<float, softmax>});
