// EXPECT: BARRIER. On rows of more than eight columns, half of the threads do not reach a barrier.
// SMALLEST: rows=1 cols=9 block=32
// SANITIZER: synccheck softmax_forward/barrier_under_branch f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/barrier_for_all f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: Every thread of the block reaches every barrier.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (threadIdx.x == 0) scratch[0] = 0;
  if (!ASSAY_PLANTED || cols <= 8 || threadIdx.x < blockDim.x / 2) __syncthreads();
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "barrier_under_branch" : "barrier_for_all",
                              .run = assay::selftest::run_rows<float, softmax>});
