// EXPECT: MISMATCH PROPERTY. The gradient of the upper half is written before that of the gate.
// SMALLEST: dim=1 block=32
// TWIN: The gradient of the gate is written first.
#include "harness/selftest/planted_kernel.cuh"

// in, din: (tokens, 2 dim)  dy: (tokens, dim)
__global__ void swiglu_backward(const float* in, const float* dy, float* din, int64_t tokens, int64_t dim) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * dim) return;
  const int64_t gate = i / dim * 2 * dim + i % dim, up = gate + dim;
  const float a = in[gate], b = in[up], s = 1 / (1 + expf(-a));
  din[ASSAY_PLANTED ? up : gate] = dy[i] * b * s * (1 + a * (1 - s));
  din[ASSAY_PLANTED ? gate : up] = dy[i] * a * s;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::launch(swiglu_backward, assay::device::thread_for_each(call, tokens * dim), call.in<float>("in"),
                call.in<float>("dy"), call.out<float>("din"), tokens, dim);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "swiglu_backward", .name = ASSAY_PLANTED ? "up_gradient_first" : "gate_gradient_first", .run = run});
