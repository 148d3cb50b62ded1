// EXPECT: MISMATCH PROPERTY. The second half of a token is taken for the gate.
// SMALLEST: dim=1 block=32
// TWIN: The gate is the first half of a token.
#include "harness/op/variant.h"

namespace {

// in: (tokens, 2 dim)  y: (tokens, dim)
template <class T>
__global__ void swiglu(const T* in, T* y, int64_t tokens, int64_t dim) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * dim) return;
  const T* row = in + i / dim * 2 * dim;
#if ASSAY_PLANTED
  const float a = static_cast<float>(row[dim + i % dim]), b = static_cast<float>(row[i % dim]);
#else
  const float a = static_cast<float>(row[i % dim]), b = static_cast<float>(row[dim + i % dim]);
#endif
  y[i] = static_cast<T>(a / (1 + expf(-a)) * b);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(swiglu<T>, {.grid = dim3(assay::ceil_div(tokens * dim, call.block())), .block = dim3(call.block())},
                  call.in<T>("in"), call.out<T>("y"), tokens, dim);
  });
}

const assay::RegisterVariant kVariant({.op = "swiglu_forward",
                                       .name = ASSAY_PLANTED ? "up_first" : "gate_first",
                                       .summary = ASSAY_PLANTED ? "takes the second half for the gate"
                                                                : "takes the first half for the gate",
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
