// EXPECT: NONFINITE PROPERTY. tanh as a quotient of exponentials: infinity over infinity from an argument of 44 on.
// SMALLEST: form=tanh block=32
// BUGS: 2 because infinity in the data makes one, and an argument beyond 44 the other
// TWIN: An exponential that overflows leaves 1.
#include "harness/selftest/planted_kernel.cuh"

// x, y: (count); form=tanh alone
__global__ void gelu(const float* x, float* y, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float a = x[i], u = 0.7978845608f * (a + 0.044715f * a * a * a), e = expf(2 * u);
  y[i] = 0.5f * a * (1 + (ASSAY_PLANTED ? (e - 1) / (e + 1) : 1 - 2 / (e + 1)));
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("form") != "tanh") return "the curve by tanh only";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::launch(gelu, assay::device::thread_for_each(call, count), call.in<float>("x"), call.out<float>("y"), count);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "gelu_forward",
                              .name = ASSAY_PLANTED ? "forward_tanh_overflows" : "forward_tanh_saturates",
                              .unsupported = unsupported,
                              .run = run});
