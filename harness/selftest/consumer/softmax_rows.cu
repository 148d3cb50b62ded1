// The gradient of a softmax, a block for each row: plain CUDA that knows nothing of the harness.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// y, dy, dx: (rows, cols); blockDim.x floats of shared memory, for a block of any size.
template <typename T>
__global__ void softmax_rows_backward(const T* y, const T* dy, T* dx, int cols) {
  extern __shared__ float partial[];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  float dot = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    dot += static_cast<float>(y[row + c]) * static_cast<float>(dy[row + c]);
  partial[threadIdx.x] = dot;
  __syncthreads();
  for (unsigned n = blockDim.x; n > 1; n = (n + 1) / 2) {
    const unsigned half = (n + 1) / 2;
    if (threadIdx.x < n / 2) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    dx[row + c] = static_cast<T>(static_cast<float>(y[row + c]) * (static_cast<float>(dy[row + c]) - partial[0]));
}
