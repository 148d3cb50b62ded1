// EXPECT: MISMATCH. Groups of four elements and more add eps to the root of the mean square instead of under it.
// SMALLEST: G=1 dim=4 block=32
// TWIN: eps is added to the mean square, under the root.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

// One block for all groups, so that every column of dw has one owner.
__global__ void rms_norm(const float* x, const float* g,  // (groups, dim)
                         const float* w,                  // (dim)
                         float* dx,                       // (groups, dim)
                         float* dw,                       // (dim)
                         int64_t groups, int64_t dim, float eps) {
  __shared__ float scratch[1024];
  for (int64_t row = 0; row < groups * dim; row += dim) {
    float squares = 0, products = 0;
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
      squares += x[row + d] * x[row + d];
      products += x[row + d] * w[d] * g[row + d];
    }
    const float count = static_cast<float>(dim);
    const float mean = assay::device::block_reduce(squares, scratch, assay::device::Add()) / count;
    products = assay::device::block_reduce(products, scratch, assay::device::Add());
    const float inv = ASSAY_PLANTED && dim >= 4 ? 1 / (sqrtf(mean) + eps) : 1 / sqrtf(mean + eps);
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
      dx[row + d] = w[d] * inv * g[row + d] - x[row + d] * inv * (inv * inv * products / count);
      dw[d] += x[row + d] * inv * g[row + d];
    }
  }
}

void run(assay::Call& call) {
  const int64_t groups = call.dim("G"), dim = call.dim("dim");
  if (groups == 0 || dim == 0) return;
  assay::launch(rms_norm, {.grid = dim3(1), .block = dim3(call.block())}, call.in<float>("x"), call.in<float>("g"),
                call.in<float>("w"), call.out<float>("dx"), call.out<float>("dw"), groups, dim, call.real("eps"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "rms_norm_backward", .name = ASSAY_PLANTED ? "eps_outside_root" : "eps_inside_root", .run = run});
