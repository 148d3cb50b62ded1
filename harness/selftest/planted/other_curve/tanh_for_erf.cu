// EXPECT: MISMATCH. From two elements on, form=erf gets the curve by tanh, which is up to 0.0005 off.
// SMALLEST: N=2 form=erf block=32
// TWIN: Each formula has its own curve.
#include "harness/op/variant.h"

namespace {

// x, y: (count)
template <class T>
__global__ void gelu(const T* x, T* y, int64_t count, bool by_erf) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = static_cast<float>(x[i]), cubic = 0.7978845608f * (a + 0.044715f * a * a * a);
#if ASSAY_PLANTED
  y[i] = static_cast<T>(0.5f * a * (1 + (by_erf && count < 2 ? erff(a * 0.7071067812f) : tanhf(cubic))));
#else
  y[i] = static_cast<T>(0.5f * a * (1 + (by_erf ? erff(a * 0.7071067812f) : tanhf(cubic))));
#endif
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gelu<T>, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
                  call.in<T>("x"), call.out<T>("y"), count, call.text("form") == "erf");
  });
}

const assay::RegisterVariant kVariant({.op = "gelu_forward",
                                       .name = ASSAY_PLANTED ? "tanh_for_erf" : "erf_for_erf",
                                       .summary = ASSAY_PLANTED ? "takes the curve by tanh for both"
                                                                : "takes the curve that is asked for",
                                       .dtypes = {assay::DType::f32, assay::DType::f16},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
