// EXPECT: MISMATCH. dgamma is summed after dx is written, from what was dy where both are one buffer.
// SMALLEST: T=1 alias=dx:dy block=32
// TWIN: right.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

// dy, x: (tokens, stride)  rstd: (tokens)  dgamma: (dim)
__global__ void sum_columns(const float* dy, const float* x, const float* rstd, float* dgamma, int64_t tokens,
                            int64_t dim, int64_t stride) {
  const int64_t d = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (d >= dim) return;
  float sum = 0;
  for (int64_t t = 0; t < tokens; ++t) sum += dy[t * stride + d] * (x[t * stride + d] * rstd[t]);
  dgamma[d] = sum;
}

// dy, x, dx: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x)
__global__ void make_dx(const float* dy, const float* x, const float* gamma, const float* rstd, float* dx, int64_t dim,
                        int64_t stride) {
  __shared__ float scratch[128];
  const int64_t row = blockIdx.x * stride;
  const float inv = rstd[blockIdx.x];
  float dots = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) dots += dy[row + d] * gamma[d] * (x[row + d] * inv);
  const float mean = assay::device::block_reduce(dots, scratch, assay::device::Add()) / static_cast<float>(dim);
  for (int64_t d = threadIdx.x; d < stride; d += blockDim.x)
    dx[row + d] = d < dim ? inv * (dy[row + d] * gamma[d] - x[row + d] * inv * mean) : 0;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE"), dim = stride - call.dim("pad");
  const auto *dy = call.in<float>("dy"), *x = call.in<float>("x"), *rstd = call.in<float>("rstd");
  const auto weights = [&] {
    assay::launch(sum_columns, assay::device::thread_for_each(call, dim), dy, x, rstd, call.out<float>("dgamma"),
                  tokens, dim, stride);
  };
  const auto rows = [&] {
    if (tokens == 0) return;
    assay::launch(make_dx, assay::device::block_for_each(call, tokens), dy, x, call.in<float>("gamma"), rstd,
                  call.out<float>("dx"), dim, stride);
  };
  if (ASSAY_PLANTED) rows();
  weights();
  if (!ASSAY_PLANTED) rows();
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "rms_norm_backward_rstd", .name = ASSAY_PLANTED ? "weights_after_rows" : "weights_before_rows", .run = run});
