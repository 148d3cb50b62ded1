// EXPECT: MISMATCH NONFINITE. Every tile of 32 columns is normalised by its own maximum and sum instead of the row's.
// SMALLEST: rows=1 cols=33 block=32
// TWIN: Tiles of 32 columns are normalised by the maximum and sum of their row.
#include "harness/selftest/rows.cuh"

constexpr int64_t kTile = 32;

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  for (int64_t start = 0; start < cols; start += kTile) {
    const int64_t width = cols - start < kTile ? cols - start : kTile;
    const float* normalised = ASSAY_PLANTED ? x + start : x;
    const int64_t count = ASSAY_PLANTED ? width : cols;
    const float maximum = assay::selftest::row_maximum(normalised, count, scratch);
    const float total = assay::selftest::row_total(normalised, count, maximum, scratch);
    for (int64_t c = threadIdx.x; c < width; c += blockDim.x) y[start + c] = expf(x[start + c] - maximum) / total;
  }
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "tile_normalised" : "row_normalised",
                              .run = assay::selftest::run_rows<float, softmax>});
