// EXPECT: OUT_OF_BOUNDS. The index is an int: from 2^31 elements on it is negative, and less than N.
// SMALLEST: block=32
// SUITE: huge
// TWIN: The index has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, int, int64_t>;

// x, y: (n)
__global__ void gelu(const float* x, float* y, int64_t n, bool erf_form) {
  const Index i = static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
  if (i >= n) return;
  const float v = x[i], inner = 0.7978845608f * (v + 0.044715f * v * v * v);
  y[i] = erf_form ? 0.5f * v * (1 + erff(v * 0.70710678f)) : 0.5f * v * (1 + tanhf(inner));
}

void run(assay::Call& call) {
  const int64_t n = call.dim("N");
  if (n == 0) return;
  assay::launch(gelu, assay::device::thread_for_each(call, n), call.in<float>("x"), call.out<float>("y"), n,
                call.text("form") == "erf");
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "gelu_forward", .name = ASSAY_PLANTED ? "index_is_int" : "index_is_long", .run = run});
