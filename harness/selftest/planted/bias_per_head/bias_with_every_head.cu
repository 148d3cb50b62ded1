// EXPECT: MISMATCH PROPERTY. The bias comes with the product of every head.
// SMALLEST: H=2 ad=1 aE=1 T=1 biases=o block=32
// TWIN: The bias comes once.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

__global__ void project(assay::selftest::OutProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.tokens * p.outs) return;
  const int64_t t = i / p.outs, e = i % p.outs;
  const float bias = p.bo != nullptr ? p.bo[e] : 0;
  float sum = ASSAY_PLANTED ? 0 : bias;
  for (int64_t h = 0; h < p.heads; ++h) sum += (ASSAY_PLANTED ? bias : 0) + p.of_head(t, e, h, p.by_head);
  p.out[i] = sum;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_project",
                              .name = ASSAY_PLANTED ? "bias_with_every_head" : "bias_once",
                              .domains = assay::device::without_blocks({"wo"}),
                              .run = assay::selftest::run_out_projection<project>});
