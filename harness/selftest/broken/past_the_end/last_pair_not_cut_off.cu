// EXPECT: GUARD_BROKEN. Rows of more than four columns are written in pairs, and an odd row's last pair is not cut off.
// SMALLEST: rows=1 cols=5 block=32
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  const int64_t width = cols > 4 ? 2 : 1;  // longer rows are written in pairs
  for (int64_t first = threadIdx.x * width; first < cols; first += blockDim.x * width)
    for (int64_t c = first; c < first + width; ++c) y[c] = expf((c < cols ? x[c] : 0) - maximum) / total;
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "last_pair_not_cut_off",
                                       .summary = "writes an element past the end of odd rows",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
