// EXPECT: MISMATCH OUT_OF_BOUNDS. Where a row begins is a product of 32 bits, and wraps from 2^32 elements on.
// SMALLEST: block=32
// SUITE: huge
// TWIN: The product has 64 bits.
#include "harness/selftest/rows.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// x, y: (gridDim.x, cols)
__global__ void softmax(const float* x, float* y, int64_t cols) {
  __shared__ float scratch[128];
  const Index first = static_cast<Index>(blockIdx.x) * static_cast<Index>(cols);
  const float maximum = assay::selftest::row_maximum(x + first, cols, scratch);
  const float total = assay::selftest::row_total(x + first, cols, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[first + c] = expf(x[first + c] - maximum) / total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "row_is_unsigned" : "row_is_long",
                              .run = assay::selftest::run_rows<float, softmax>});
