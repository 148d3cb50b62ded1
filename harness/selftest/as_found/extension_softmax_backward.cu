// EXPECT: MISMATCH NONFINITE PROPERTY. Sums are kept in the type of the elements: exact enough in f32 only.
// SMALLEST: rows=1
// The device half of a framework's extension: the host half dispatches over scalar_t.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

namespace {

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

template <typename scalar_t>
__global__ void softmax_backward_kernel(const scalar_t* __restrict__ grad_output, const scalar_t* __restrict__ output,
                                        scalar_t* __restrict__ grad_input, const int64_t batch_size,
                                        const int64_t dim_size) {
  using acc_t = scalar_t;
  const int row = blockIdx.x;
  const scalar_t* grad_row = grad_output + row * dim_size;
  const scalar_t* out_row = output + row * dim_size;

  acc_t dot = acc_t(0.0f);
  for (int64_t c = threadIdx.x; c < dim_size; c += blockDim.x)
    dot += static_cast<acc_t>(static_cast<float>(grad_row[c]) * static_cast<float>(out_row[c]));
  dot = warp_sum(dot);

  __shared__ acc_t partial[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) partial[warp] = dot;
  __syncthreads();
  dot = acc_t(0.0f);
  for (int w = 0; w < blockDim.x / warpSize; ++w) dot += partial[w];

  for (int64_t c = threadIdx.x; c < dim_size; c += blockDim.x)
    grad_input[row * dim_size + c] = static_cast<scalar_t>(
        static_cast<float>(out_row[c]) * (static_cast<float>(grad_row[c]) - static_cast<float>(dot)));
}

}  // namespace

void softmax_backward_cuda(const void* grad, const void* out, void* grad_input, int64_t batch, int64_t dim,
                           bool is_half, cudaStream_t stream) {
  const dim3 blocks(batch);
  const int threads = 256;
  if (is_half)
    softmax_backward_kernel<__half><<<blocks, threads, 0, stream>>>(
        static_cast<const __half*>(grad), static_cast<const __half*>(out), static_cast<__half*>(grad_input), batch, dim);
  else
    softmax_backward_kernel<float><<<blocks, threads, 0, stream>>>(
        static_cast<const float*>(grad), static_cast<const float*>(out), static_cast<float*>(grad_input), batch, dim);
}
