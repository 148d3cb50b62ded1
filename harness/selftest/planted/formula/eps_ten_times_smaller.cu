// EXPECT: MISMATCH PROPERTY. eps is a tenth of what the caller asks for, as where another model's is built in.
// SMALLEST: T=1 aE=1 pad=0 block=32
// TWIN: eps is what the caller asks for.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

// x, y: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x)
__global__ void rms_norm(const float* x, const float* gamma, float* y, float* rstd, int64_t dim, int64_t stride,
                         float eps) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * stride;
  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += x[row + d] * x[row + d];
  squares = assay::device::block_reduce(squares, scratch, assay::device::Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + (ASSAY_PLANTED ? eps / 10 : eps));
  for (int64_t d = threadIdx.x; d < stride; d += blockDim.x) y[row + d] = d < dim ? x[row + d] * inv * gamma[d] : 0;
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE");
  if (tokens == 0) return;
  assay::launch(rms_norm, assay::device::block_for_each(call, tokens), call.in<float>("x"), call.in<float>("gamma"),
                call.out<float>("y"), call.out<float>("rstd"), stride - call.dim("pad"), stride, call.real("eps"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "rms_norm_forward", .name = ASSAY_PLANTED ? "eps_ten_times_smaller" : "eps_as_given", .run = run});
