// EXPECT: NONFINITE MISMATCH. The gate's sigmoid is exp(a) / (1 + exp(a)): infinity over infinity from 89 on.
// SMALLEST: T=1 dim=1 block=32
// TWIN: An exponential that overflows leaves 0.
#include "harness/selftest/planted_kernel.cuh"

// in: (tokens, 2 dim)  y: (tokens, dim)
__global__ void swiglu(const float* in, float* y, int64_t tokens, int64_t dim) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * dim) return;
  const float* row = in + i / dim * 2 * dim;
  const float a = row[i % dim], b = row[i % dim + dim];
  y[i] = (ASSAY_PLANTED ? a * (expf(a) / (1 + expf(a))) : a / (1 + expf(-a))) * b;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::launch(swiglu, assay::device::thread_for_each(call, tokens * dim), call.in<float>("in"), call.out<float>("y"),
                tokens, dim);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "swiglu_forward",
                              .name = ASSAY_PLANTED ? "gate_overflows" : "gate_saturates",
                              .blocks = {32, 64, 128},
                              .run = run});
