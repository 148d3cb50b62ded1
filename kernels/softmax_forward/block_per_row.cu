// One block per row, three passes over it, tree reductions in shared memory: the variant to read first.
//
// The tree halves from the next power of two, so any block size works. Costs two barriers per level and reads x three
// times; warp_per_row and online variants do better.
#include "harness/op/variant.h"

namespace {

// Combines one value per thread; every thread gets the result. scratch: (blockDim.x) f32.
template <class Combine>
__device__ float block_reduce(float value, float* scratch, Combine combine) {
  const unsigned thread = threadIdx.x;
  scratch[thread] = value;
  __syncthreads();
  unsigned span = 1;
  while (span < blockDim.x) span *= 2;
  for (unsigned half = span / 2; half > 0; half /= 2) {
    if (thread < half && thread + half < blockDim.x) scratch[thread] = combine(scratch[thread], scratch[thread + half]);
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();  // scratch is written again by the next reduction
  return result;
}

template <class T>
__global__ void softmax_forward(const T* x, T* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  const T* x_row = x + blockIdx.x * cols;
  T* y_row = y + blockIdx.x * cols;

  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
    const float value = static_cast<float>(x_row[c]);
    maximum = value > maximum || isnan(value) ? value : maximum;  // fmaxf would drop a NaN
  }
  maximum = block_reduce(maximum, scratch, [](float a, float b) { return b > a || isnan(b) ? b : a; });

  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(static_cast<float>(x_row[c]) - maximum);
  total = block_reduce(total, scratch, [](float a, float b) { return a + b; });

  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y_row[c] = static_cast<T>(expf(static_cast<float>(x_row[c]) - maximum) / total);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_forward<T>, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(call.block())},
                  call.in<T>("x"), call.out<T>("y"), cols);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, tree reductions in shared memory",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
                                       .run = run});

}  // namespace
