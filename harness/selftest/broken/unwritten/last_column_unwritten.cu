// EXPECT: UNWRITTEN. The last column of rows of more than eight is never written.
// SMALLEST: rows=1 cols=9 block=32
// SANITIZER: initcheck softmax_forward/last_column_unwritten f32 rows=4 cols=300 fill=normal seed=1 block=128
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  const int64_t written = cols > 8 ? cols - 1 : cols;
  for (int64_t c = threadIdx.x; c < written; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "last_column_unwritten",
                                       .summary = "the last column of longer rows is never written",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
