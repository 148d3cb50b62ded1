// EXPECT: INPUT_CHANGED. Rows of more than six columns keep their exponentials in the input's own memory.
// SMALLEST: rows=1 cols=7 block=32
// TWIN: Exponentials are kept in the output, whatever the row's length.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  auto* kept = ASSAY_PLANTED && cols > 6 ? const_cast<float*>(x) : y;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
    kept[c] = expf(x[c] - maximum);
    y[c] = kept[c] / total;
  }
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "input_overwritten" : "input_left_alone",
                              .run = assay::selftest::run_rows<float, softmax>});
