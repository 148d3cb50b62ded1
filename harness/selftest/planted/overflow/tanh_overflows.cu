// EXPECT: NONFINITE. tanh as a quotient of exponentials: infinity over infinity from an argument of 44 on.
// SMALLEST: form=tanh block=32
// TWIN: An exponential that overflows leaves 1.
#include "harness/selftest/planted_kernel.cuh"

__device__ float tanh_of(float u) {
  const float e = expf(2 * u);
  return ASSAY_PLANTED ? (e - 1) / (e + 1) : 1 - 2 / (e + 1);
}

// x, dy, dx: (count); form=tanh alone
__global__ void gelu(const float* x, const float* dy, float* dx, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = x[i], t = tanh_of(0.7978845608f * (a + 0.044715f * a * a * a));
  const float slope = 0.7978845608f * (1 + 3 * 0.044715f * a * a);
  dx[i] = (0.5f * (1 + t) + 0.5f * a * (1 - t * t) * slope) * dy[i];
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("form") != "tanh") return "the curve by tanh only";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::launch(gelu, assay::device::thread_for_each(call, count), call.in<float>("x"), call.in<float>("dy"),
                call.out<float>("dx"), count);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "gelu_backward",
                              .name = ASSAY_PLANTED ? "tanh_overflows" : "tanh_saturates",
                              .unsupported = unsupported,
                              .run = run});
