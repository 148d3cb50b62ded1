// EXPECT: MISMATCH NONFINITE. Every tile of 32 columns is normalised by its own maximum and sum instead of the row's.
// SMALLEST: rows=1 cols=33 block=32
// TWIN: Tiles of 32 columns are normalised by the maximum and sum of their row.
#include "harness/selftest/rows.cuh"

namespace {

constexpr int64_t kTile = 32;

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
#if !ASSAY_PLANTED
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#endif
  for (int64_t start = 0; start < cols; start += kTile) {
    const int64_t width = cols - start < kTile ? cols - start : kTile;
#if ASSAY_PLANTED
    const float maximum = assay::selftest::row_maximum(x + start, width, scratch);
    const float total = assay::selftest::row_total(x + start, width, maximum, scratch);
#endif
    for (int64_t c = threadIdx.x; c < width; c += blockDim.x) y[start + c] = expf(x[start + c] - maximum) / total;
  }
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = ASSAY_PLANTED ? "tile_normalised" : "row_normalised",
                                       .summary = ASSAY_PLANTED ? "normalises every tile by itself"
                                                                : "normalises every tile by its row",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
