// EXPECT: UNWRITTEN. The last column of rows of more than eight is never written.
// SMALLEST: rows=1 cols=9 block=32
// SANITIZER: initcheck softmax_forward/last_column_unwritten f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/all_columns_written f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: Every column is written.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#if ASSAY_PLANTED
  const int64_t written = cols > 8 ? cols - 1 : cols;
#else
  const int64_t written = cols;
#endif
  for (int64_t c = threadIdx.x; c < written; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = ASSAY_PLANTED ? "last_column_unwritten" : "all_columns_written",
                                       .summary = ASSAY_PLANTED ? "the last column of longer rows is never written"
                                                                : "every column is written",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
