// EXPECT: NONFINITE MISMATCH PROPERTY. The gate's sigmoid is exp(a) / (1 + exp(a)): infinity over infinity from 89 on.
// SMALLEST: T=1 aI=1 biases=none block=32
// TWIN: An exponential that overflows leaves 1.
#include "harness/selftest/mlp.cuh"
#include "kernels/device/formats.cuh"

__global__ void mlp(assay::selftest::Mlp m) {
  const int64_t t = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (t >= m.tokens) return;
  for (int64_t i = 0; i < m.inner; ++i) {
    const float gate = m.project(t, i), e = expf(gate), sigmoid = e / (1 + e);
    const float open = !ASSAY_PLANTED && isinf(e) ? 1 : sigmoid;
    m.g[t * m.inner + i] = gate * open * m.project(t, m.inner + i);
  }
  m.finish(t, m.inner);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "mlp_swiglu",
                              .name = ASSAY_PLANTED ? "sigmoid_overflows" : "sigmoid_saturates",
                              .blocks = {32, 64},
                              .domains = assay::device::without_blocks({"w1", "w2"}),
                              .workspace_bytes = assay::selftest::mlp_workspace,
                              .run = assay::selftest::run_mlp<mlp>});
