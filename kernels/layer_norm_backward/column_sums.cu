// A thread per column of dgamma and dbeta, then a block per row of dx: the variant to read first.
//
// Costs a second read of dy and x, and few threads where E is small.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// dy, x: (tokens, dim)  mean, rstd: (tokens) f32  dgamma, dbeta: (dim) f32
template <class T>
__global__ void sum_columns(const T* dy, const T* x, const float* mean, const float* rstd, float* dgamma, float* dbeta,
                            int64_t tokens, int64_t dim, bool adds) {
  const int64_t d = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (d >= dim) return;
  float of_gamma = 0, of_beta = 0;
  for (int64_t t = 0; t < tokens; ++t) {
    const float dy_d = static_cast<float>(dy[t * dim + d]);
    of_gamma += dy_d * ((static_cast<float>(x[t * dim + d]) - mean[t]) * rstd[t]);
    of_beta += dy_d;
  }
  dgamma[d] = adds ? dgamma[d] + of_gamma : of_gamma;
  dbeta[d] = adds ? dbeta[d] + of_beta : of_beta;
}

// dy, x, dx: (gridDim.x, dim)  gamma: (dim)  mean, rstd: (gridDim.x) f32
template <class T>
__global__ void make_dx(const T* dy, const T* x, const T* gamma, const float* mean, const float* rstd, T* dx,
                        int64_t dim, bool adds) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * dim;
  const float centre = mean[blockIdx.x], inv = rstd[blockIdx.x];

  float sum = 0, dots = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float scaled = static_cast<float>(dy[row + d]) * static_cast<float>(gamma[d]);
    sum += scaled;
    dots += scaled * ((static_cast<float>(x[row + d]) - centre) * inv);
  }
  const float mean_scaled = block_reduce(sum, scratch, Add()) / static_cast<float>(dim);
  const float mean_dot = block_reduce(dots, scratch, Add()) / static_cast<float>(dim);

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float scaled = static_cast<float>(dy[row + d]) * static_cast<float>(gamma[d]);
    const float normalised = (static_cast<float>(x[row + d]) - centre) * inv;
    const float gradient = inv * (scaled - mean_scaled - normalised * mean_dot);
    dx[row + d] = static_cast<T>(adds ? static_cast<float>(dx[row + d]) + gradient : gradient);
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("E");
  assay::by_dtype(call, [&]<class T>() {
    const T *dy = call.in<T>("dy"), *x = call.in<T>("x");
    const float *mean = call.in<float>("mean"), *rstd = call.in<float>("rstd");
    assay::launch(sum_columns<T>, assay::device::thread_for_each(call, dim), dy, x, mean, rstd,
                  call.out<float>("dgamma"), call.out<float>("dbeta"), tokens, dim, call.text("dw") == "accumulate");
    if (tokens == 0) return;
    assay::launch(make_dx<T>, assay::device::block_for_each(call, tokens), dy, x, call.in<T>("gamma"), mean, rstd,
                  call.out<T>("dx"), dim, call.text("dx") == "accumulate");
  });
}

const assay::RegisterVariant kVariant({.op = "layer_norm_backward",
                                       .name = "column_sums",
                                       .summary = "a thread per column of dgamma and dbeta, then a block per row of dx",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = assay::device::too_many_blocks("a block per token", {"T"}),
                                       .run = run});

}  // namespace
