// EXPECT: MISMATCH PROPERTY. The sum is made again for y, of an a that r has replaced where both are one buffer.
// SMALLEST: T=1 E=1 norm=rms alias=r:a,y:b block=32
// TWIN: y is made of the sum as it stands in r.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

// a, b, r, y: (gridDim.x, dim), r where a is or apart, y likewise  gamma: (dim)  rstd: (gridDim.x); norm=rms alone
__global__ void residual_norm(const float* a, const float* b, const float* gamma, float* r, float* y, float* rstd,
                              int64_t dim, float eps) {
  __shared__ float scratch[128];
  const int64_t row = blockIdx.x * dim;
  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float sum = a[row + d] + b[row + d];
    squares += sum * sum;
    r[row + d] = sum;
  }
  squares = assay::device::block_reduce(squares, scratch, assay::device::Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    y[row + d] = (ASSAY_PLANTED ? a[row + d] + b[row + d] : r[row + d]) * inv * gamma[d];
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("norm") != "rms") return "norm=rms only";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  if (tokens == 0) return;
  assay::launch(residual_norm, assay::device::block_for_each(call, tokens), call.in<float>("a"), call.in<float>("b"),
                call.in<float>("gamma"), call.out<float>("r"), call.out<float>("y"), call.out<float>("rstd"),
                call.dim("E"), call.real("eps"));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "residual_norm",
                              .name = ASSAY_PLANTED ? "branch_added_twice" : "branch_added_once",
                              .unsupported = unsupported,
                              .run = run});
