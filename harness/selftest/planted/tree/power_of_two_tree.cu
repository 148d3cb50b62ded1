// EXPECT: MISMATCH NONFINITE. The tree halves the block's own size: 96 threads come to three, and the last is lost.
// SMALLEST: rows=1 cols=3 block=96
// TWIN: The tree keeps the odd one out for its next level.
#include "harness/selftest/rows.cuh"

#if ASSAY_PLANTED
// The values of all threads combined, when their number is a power of two. scratch: (blockDim.x)
#else
// The values of all threads combined. scratch: (blockDim.x)
#endif
template <class Combine>
__device__ float tree(float value, float* scratch, Combine combine) {
  const unsigned thread = threadIdx.x;
  scratch[thread] = value;
  __syncthreads();
#if ASSAY_PLANTED
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) scratch[thread] = combine(scratch[thread], scratch[thread + half]);
#else
  for (unsigned left = blockDim.x; left > 1; left = (left + 1) / 2) {
    const unsigned half = (left + 1) / 2;
    if (thread + half < left) scratch[thread] = combine(scratch[thread], scratch[thread + half]);
#endif
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float maximum = -INFINITY, total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = assay::device::Larger()(maximum, x[c]);
  maximum = tree(maximum, scratch, assay::device::Larger());
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(x[c] - maximum);
  total = tree(total, scratch, assay::device::Add());
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "power_of_two_tree" : "any_size_tree",
                              .run = assay::selftest::run_rows<float, softmax>});
