// EXPECT: INPUT_CHANGED. Rows of more than six columns keep their exponentials in the input's own memory.
// SMALLEST: rows=1 cols=7 block=32
// TWIN: Exponentials are kept in the output, whatever the row's length.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#if ASSAY_PLANTED
  auto* kept = cols > 6 ? const_cast<float*>(x) : y;
#endif
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
#if ASSAY_PLANTED
    kept[c] = expf(x[c] - maximum);
    y[c] = kept[c] / total;
#else
    y[c] = expf(x[c] - maximum);
    y[c] = y[c] / total;
#endif
  }
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = ASSAY_PLANTED ? "input_overwritten" : "input_left_alone",
                                       .summary = ASSAY_PLANTED ? "keeps intermediate results in its input"
                                                                : "keeps intermediate results in its output",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
