// EXPECT: MISMATCH or NONDETERMINISTIC. Between thread 0 inverting the row's sum and its use, the barrier is missing.
// SMALLEST: rows=1 cols=2 block=32
// Right in ascending order (schedule 0); wrong when any thread that owns a column comes before thread 0.
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  if (threadIdx.x == 0) scratch[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) scratch[0] = 1 / scratch[0];
  const float scale = scratch[0];
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) * scale;
}

const assay::RegisterVariant kVariant(assay::selftest::softmax_variant("barrier_missing", "a barrier is missing",
                                                                       {assay::DType::f32}, [](assay::Call& call) {
                                                                         assay::selftest::launch_rows<float>(call,
                                                                                                             softmax);
                                                                       }));

}  // namespace
