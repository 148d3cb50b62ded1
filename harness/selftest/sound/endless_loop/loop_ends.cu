// EXPECT: PASS. The step of the loop is the block, whatever the row's length.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

const assay::RegisterVariant kVariant(assay::selftest::softmax_variant("loop_ends", "every loop ends",
                                                                       {assay::DType::f32}, [](assay::Call& call) {
                                                                         assay::selftest::launch_rows<float>(call,
                                                                                                             softmax);
                                                                       }));

}  // namespace
