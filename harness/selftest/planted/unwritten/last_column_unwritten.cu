// EXPECT: UNWRITTEN. The last column of rows of more than eight is never written.
// SMALLEST: rows=1 cols=9 block=32
// SANITIZER: initcheck softmax_forward/last_column_unwritten f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/all_columns_written f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: Every column is written.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  const int64_t written = ASSAY_PLANTED && cols > 8 ? cols - 1 : cols;
  for (int64_t c = threadIdx.x; c < written; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "last_column_unwritten" : "all_columns_written",
                              .run = assay::selftest::run_rows<float, softmax>});
