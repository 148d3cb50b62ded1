// EXPECT: MISMATCH PROPERTY. From T=2 on, the second half of h goes through silu.
// SMALLEST: T=2 aI=1 aE=1 form=prefill biases=none block=32
// TWIN: The first half of h is the gate.
#include "harness/selftest/mlp.cuh"
#include "kernels/device/formats.cuh"

__global__ void mlp(assay::selftest::Mlp m) {
  const int64_t t = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (t >= m.tokens) return;
  const bool swapped = ASSAY_PLANTED && m.tokens >= 2;
  for (int64_t i = 0; i < m.inner; ++i) {
    const float first = m.project(t, i), second = m.project(t, m.inner + i);
    m.gate(t, i, swapped ? second : first, swapped ? first : second);
  }
  m.finish(t, m.inner);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "mlp_swiglu",
                              .name = ASSAY_PLANTED ? "second_half_gates" : "first_half_gates",
                              .blocks = {32, 64},
                              .domains = assay::device::without_blocks({"w1", "w2"}),
                              .workspace_bytes = assay::selftest::mlp_workspace,
                              .run = assay::selftest::run_mlp<mlp>});
