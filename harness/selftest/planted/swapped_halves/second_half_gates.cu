// EXPECT: MISMATCH PROPERTY. From T=2 on, the second half of h goes through silu.
// SMALLEST: T=2 aI=1 aE=1 form=prefill biases=none block=32
// TWIN: The first half of h is the gate.
#include "harness/selftest/mlp.cuh"
#include "kernels/device/formats.cuh"

namespace {

__global__ void mlp(assay::selftest::Mlp m) {
  const int64_t t = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (t >= m.tokens) return;
#if ASSAY_PLANTED
  for (int64_t i = 0; i < m.inner; ++i) {
    const float first = m.project(t, i), second = m.project(t, m.inner + i);
    m.gate(t, i, m.tokens < 2 ? first : second, m.tokens < 2 ? second : first);
  }
#else
  for (int64_t i = 0; i < m.inner; ++i) m.gate(t, i, m.project(t, i), m.project(t, m.inner + i));
#endif
  m.finish(t, m.inner);
}

void run(assay::Call& call) { assay::selftest::launch_mlp(call, mlp); }

const assay::RegisterVariant kVariant({.op = "mlp_swiglu",
                                       .name = ASSAY_PLANTED ? "second_half_gates" : "first_half_gates",
                                       .summary = ASSAY_PLANTED ? "takes the other half for the gate"
                                                                : "takes the first half for the gate",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .domains = assay::device::without_blocks({"w1", "w2"}),
                                       .workspace_bytes = assay::selftest::mlp_workspace,
                                       .run = run});

}  // namespace
