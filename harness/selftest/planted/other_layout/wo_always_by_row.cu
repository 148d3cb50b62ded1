// EXPECT: MISMATCH PROPERTY. Weights that are stored by head are read as rows of all heads.
// SMALLEST: H=2 ad=1 aE=2 T=1 wo=by_head biases=none block=32
// TWIN: Weights are read as they are stored.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

__global__ void project(assay::selftest::OutProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.tokens * p.outs) return;
  const int64_t t = i / p.outs, e = i % p.outs;
  const float bias = p.bo != nullptr ? p.bo[e] : 0;
  float sum = bias;
  for (int64_t h = 0; h < p.heads; ++h) sum += p.of_head(t, e, h, !ASSAY_PLANTED && p.by_head);
  p.out[i] = sum;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_project",
                              .name = ASSAY_PLANTED ? "wo_always_by_row" : "wo_as_stored",
                              .domains = assay::device::without_blocks({"wo"}),
                              .run = assay::selftest::run_out_projection<project>});
