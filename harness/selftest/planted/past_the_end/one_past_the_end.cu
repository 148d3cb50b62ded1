// EXPECT: GUARD_BROKEN. The loop that writes rows of more than four columns runs one column too far.
// SMALLEST: rows=1 cols=5 block=32
// SANITIZER: memcheck softmax_forward/one_past_the_end f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/up_to_the_end f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: The loop that writes a row ends with the row.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#if ASSAY_PLANTED
  const int64_t end = cols > 4 ? cols + 1 : cols;
  for (int64_t c = threadIdx.x; c < end; c += blockDim.x) y[c] = expf((c < cols ? x[c] : 0) - maximum) / total;
#else
  const int64_t end = cols;
  for (int64_t c = threadIdx.x; c < end; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
#endif
}

void run(assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = ASSAY_PLANTED ? "one_past_the_end" : "up_to_the_end",
                                       .summary = ASSAY_PLANTED ? "writes an element past the end of longer rows"
                                                                : "writes rows up to their end",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
