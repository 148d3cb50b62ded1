// EXPECT: GUARD_BROKEN. The loop that writes rows of more than four columns runs one column too far.
// SMALLEST: rows=1 cols=5 block=32
// SANITIZER: memcheck softmax_forward/one_past_the_end f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/up_to_the_end f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: The loop that writes a row ends with the row.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  const int64_t end = ASSAY_PLANTED && cols > 4 ? cols + 1 : cols;
  for (int64_t c = threadIdx.x; c < end; c += blockDim.x) y[c] = expf((c < cols ? x[c] : 0) - maximum) / total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "one_past_the_end" : "up_to_the_end",
                              .run = assay::selftest::run_rows<float, softmax>});
