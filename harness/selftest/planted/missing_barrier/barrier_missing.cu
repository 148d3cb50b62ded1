// EXPECT: NONDETERMINISTIC MISMATCH. On rows of more than 40 columns, a barrier is missing before thread 0's result.
// SMALLEST: rows=1 cols=41 block=32
// SANITIZER: racecheck softmax_forward/barrier_missing f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/barrier_present f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: Every thread waits until thread 0 has inverted the row's sum.
//
// Right in ascending order (schedule 0); wrong when any thread that owns a column comes before thread 0.
#include "harness/selftest/rows.cuh"

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  if (threadIdx.x == 0) scratch[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) scratch[0] = 1 / scratch[0];
  if (!ASSAY_PLANTED || cols <= 40) __syncthreads();
  const float scale = scratch[0];
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) * scale;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "barrier_missing" : "barrier_present",
                              .run = assay::selftest::run_rows<float, softmax>});
