// EXPECT: MISMATCH PROPERTY. The keys get no bias, which a softmax without positions forgives.
// SMALLEST: HK=1 ad=1 aE=1 T=1 block=32
// TWIN: The keys get their bias, too.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

__global__ void project(assay::selftest::HeadProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * p.tokens * p.lanes) return;
  const int64_t h = i / (p.tokens * p.lanes), t = i / p.lanes % p.tokens, d = i % p.lanes;
  p.out[(h * p.slots + t) * p.lanes + d] = p.at(h, t, d);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "qkv_project",
                              .name = ASSAY_PLANTED ? "key_bias_lost" : "key_bias_added",
                              .domains = assay::device::without_blocks({"wq", "wk", "wv"}),
                              .run = assay::selftest::run_projections<project, !ASSAY_PLANTED>});
