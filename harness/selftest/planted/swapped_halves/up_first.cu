// EXPECT: MISMATCH PROPERTY. The second half of a token is taken for the gate.
// SMALLEST: dim=1 block=32
// TWIN: The gate is the first half of a token.
#include "harness/selftest/planted_kernel.cuh"

// in: (tokens, 2 dim)  y: (tokens, dim)
template <class T>
__global__ void swiglu(const T* in, T* y, int64_t tokens, int64_t dim) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * dim) return;
  const T* row = in + i / dim * 2 * dim;
  const int64_t gate = i % dim + (ASSAY_PLANTED ? dim : 0), up = i % dim + (ASSAY_PLANTED ? 0 : dim);
  const float a = static_cast<float>(row[gate]), b = static_cast<float>(row[up]);
  y[i] = static_cast<T>(a / (1 + expf(-a)) * b);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(swiglu<T>, assay::device::thread_for_each(call, tokens * dim), call.in<T>("in"), call.out<T>("y"),
                  tokens, dim);
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "swiglu_forward",
                              .name = ASSAY_PLANTED ? "up_first" : "gate_first",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .blocks = {32, 64, 128},
                              .run = run});
