// EXPECT: MISMATCH. Where a token's input begins is a product of 32 bits, and wraps from 2^32 elements on.
// SMALLEST: block=32
// SUITE: huge
// TWIN: The product has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// in: (gridDim.x, 2 dim)  y: (gridDim.x, dim)
__global__ void swiglu(const float* in, float* y, int64_t dim) {
  const Index token = static_cast<Index>(blockIdx.x) * static_cast<Index>(2 * dim);
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float a = in[token + d], b = in[token + dim + d];
    y[blockIdx.x * dim + d] = a / (1 + expf(-a)) * b;
  }
}

void run(assay::Call& call) {
  if (call.dim("T") == 0 || call.dim("dim") == 0) return;
  assay::launch(swiglu, assay::device::block_for_each(call, call.dim("T")), call.in<float>("in"), call.out<float>("y"),
                call.dim("dim"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "swiglu_forward", .name = ASSAY_PLANTED ? "token_is_unsigned" : "token_is_long", .run = run});
