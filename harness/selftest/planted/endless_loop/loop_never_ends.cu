// EXPECT: TIMEOUT. The step of a loop becomes 0 on rows of more than 37 columns.
// SMALLEST: rows=1 cols=38 block=32
// TWIN: The step of the loop is the block, whatever the row's length.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#if ASSAY_PLANTED
  volatile float* out = y;  // or a compiler may take it that the loop ends
  for (int64_t c = threadIdx.x; c<cols; c += cols> 37 ? 0 : blockDim.x) out[c] = expf(x[c] - maximum) / total;
#else
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
#endif
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "loop_never_ends" : "loop_ends",
                              .run = assay::selftest::run_rows<float, softmax>});
