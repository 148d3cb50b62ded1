// A thread per column of dgamma, then a block per row of dx: the variant to read first.
//
// dgamma comes first, because dx may go where dy was. Costs a second read of dy and x, and few threads where E is
// small.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// dy, x: (tokens, stride)  rstd: (tokens) f32  dgamma: (dim) f32
template <class T>
__global__ void sum_columns(const T* dy, const T* x, const float* rstd, float* dgamma, int64_t tokens, int64_t dim,
                            int64_t stride) {
  const int64_t d = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (d >= dim) return;
  float sum = 0;
  for (int64_t t = 0; t < tokens; ++t)
    sum += static_cast<float>(dy[t * stride + d]) * (static_cast<float>(x[t * stride + d]) * rstd[t]);
  dgamma[d] = sum;
}

// dy, x, dx: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x) f32
template <class T>
__global__ void make_dx(const T* dy, const T* x, const T* gamma, const float* rstd, T* dx, int64_t dim,
                        int64_t stride) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * stride;
  const float inv = rstd[blockIdx.x];

  float dots = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    dots += static_cast<float>(dy[row + d]) * static_cast<float>(gamma[d]) * (static_cast<float>(x[row + d]) * inv);
  const float mean = block_reduce(dots, scratch, Add()) / static_cast<float>(dim);

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    dx[row + d] = static_cast<T>(inv * (static_cast<float>(dy[row + d]) * static_cast<float>(gamma[d]) -
                                        static_cast<float>(x[row + d]) * inv * mean));
  for (int64_t d = dim + threadIdx.x; d < stride; d += blockDim.x) dx[row + d] = static_cast<T>(0.0f);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE"), dim = stride - call.dim("pad");
  assay::by_dtype(call, [&]<class T>() {
    const T *dy = call.in<T>("dy"), *x = call.in<T>("x");
    const float* rstd = call.in<float>("rstd");
    assay::launch(sum_columns<T>, assay::device::thread_for_each(call, dim), dy, x, rstd, call.out<float>("dgamma"),
                  tokens, dim, stride);
    if (tokens == 0) return;
    assay::launch(make_dx<T>, assay::device::block_for_each(call, tokens), dy, x, call.in<T>("gamma"), rstd,
                  call.out<T>("dx"), dim, stride);
  });
}

const assay::RegisterVariant kVariant({.op = "rms_norm_backward_rstd",
                                       .name = "column_sums",
                                       .summary = "a thread per column of dgamma, then a block per row of dx",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = assay::device::too_many_blocks("a block per token", {"T"}),
                                       .run = run});

}  // namespace
