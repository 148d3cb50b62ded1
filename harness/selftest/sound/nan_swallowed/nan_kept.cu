// EXPECT: PASS. A NaN is the largest of all, so it makes its row NaN.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = assay::device::Larger()(maximum, x[c]);
  maximum = assay::device::block_reduce(maximum, scratch, assay::device::Larger());
  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(x[c] - maximum);
  total = assay::device::block_reduce(total, scratch, assay::device::Add());
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "nan_kept",
                                       .summary = "a NaN makes its row NaN",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
