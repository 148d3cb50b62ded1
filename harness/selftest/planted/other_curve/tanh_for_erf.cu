// EXPECT: MISMATCH. From two elements on, form=erf gets the curve by tanh, which is up to 0.0005 off.
// SMALLEST: N=2 form=erf block=32
// TWIN: Each formula has its own curve.
#include "harness/selftest/planted_kernel.cuh"

// x, y: (count)
template <class T>
__global__ void gelu(const T* x, T* y, int64_t count, bool by_erf) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = static_cast<float>(x[i]), cubic = 0.7978845608f * (a + 0.044715f * a * a * a);
  const bool exactly = by_erf && (!ASSAY_PLANTED || count < 2);
  y[i] = static_cast<T>(0.5f * a * (1 + (exactly ? erff(a * 0.7071067812f) : tanhf(cubic))));
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gelu<T>, assay::device::thread_for_each(call, count), call.in<T>("x"), call.out<T>("y"), count,
                  call.text("form") == "erf");
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "gelu_forward",
                              .name = ASSAY_PLANTED ? "tanh_for_erf" : "erf_for_erf",
                              .dtypes = {assay::DType::f32, assay::DType::f16},
                              .run = run});
