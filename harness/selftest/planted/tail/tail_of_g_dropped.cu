// EXPECT: MISMATCH PROPERTY. From two tiles of 16 on, what follows the last whole tile of g is left out of y.
// SMALLEST: T=1 aI=17 aE=1 biases=none block=32
// TWIN: y sums all of g.
#include "harness/selftest/mlp.cuh"
#include "kernels/device/formats.cuh"

__global__ void mlp(assay::selftest::Mlp m) {
  const int64_t t = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (t >= m.tokens) return;
  for (int64_t i = 0; i < m.inner; ++i) m.gate(t, i, m.project(t, i), m.project(t, m.inner + i));
  m.finish(t, ASSAY_PLANTED && m.inner > 16 ? m.inner / 16 * 16 : m.inner);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "mlp_swiglu",
                              .name = ASSAY_PLANTED ? "tail_of_g_dropped" : "tail_of_g_summed",
                              .blocks = {32, 64},
                              .domains = assay::device::without_blocks({"w1", "w2"}),
                              .workspace_bytes = assay::selftest::mlp_workspace,
                              .run = assay::selftest::run_mlp<mlp>});
