// One kernel with none, one or two of four bugs, which macros choose: TAIL leaves the last columns out of the sum, NANS
// drops what is not a number, LATE_READ lacks a barrier where a block has several warps, and LAST_THREAD lets all
// threads write to one place that hardly matters.
#include <cuda_runtime.h>

// A block for each row of C numbers.
__global__ void softmax_forward(const float* inp, float* out, int N, int C) {
  __shared__ float scratch[1024];
  __shared__ int last;
  const int row = blockIdx.x, t = threadIdx.x;
  const float* x = inp + row * C;
  float* y = out + row * C;
  float largest = -INFINITY;
  for (int i = t; i < C; i += blockDim.x) largest = x[i] > largest || x[i] != x[i] ? x[i] : largest;
#ifdef NANS
  if (largest != largest) largest = 0;
#endif
  scratch[t] = largest;
  __syncthreads();
  if (t == 0)
    for (int i = 1; i < blockDim.x; ++i)
      if (scratch[i] > scratch[0] || scratch[i] != scratch[i]) scratch[0] = scratch[i];
  __syncthreads();
  largest = scratch[0];
#ifdef TAIL
  const int end = C > 4 ? C / 4 * 4 : C;
#else
  const int end = C;
#endif
  float sum = 0;
  for (int i = t; i < end; i += blockDim.x) {
    const float e = expf(x[i] - largest);
#ifdef NANS
    sum += e == e ? e : 0;
#else
    sum += e;
#endif
  }
  __syncthreads();
  scratch[t] = sum;
#ifdef LAST_THREAD
  last = t;
#endif
  __syncthreads();
  if (t == 0)
    for (int i = 1; i < blockDim.x; ++i) scratch[0] += scratch[i];
#ifdef LATE_READ
  if (blockDim.x > 32)
    __syncwarp();
  else
#endif
    __syncthreads();
#ifdef LAST_THREAD
  if (last < 0) return;
#endif
  for (int i = t; i < C; i += blockDim.x) y[i] = expf(x[i] - largest) / scratch[0];
}
