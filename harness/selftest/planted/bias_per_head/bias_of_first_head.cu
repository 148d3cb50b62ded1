// EXPECT: MISMATCH PROPERTY. All heads get the bias of the first one.
// SMALLEST: HK=1 ad=1 aE=1 T=1 block=32
// BUGS: 2 because q and k have a bias each, and cases with one of them
// TWIN: Each head gets its own bias.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

__global__ void project(assay::selftest::HeadProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * p.tokens * p.lanes) return;
  const int64_t h = i / (p.tokens * p.lanes), t = i / p.lanes % p.tokens, d = i % p.lanes;
  if (ASSAY_PLANTED && p.bias != nullptr) p.bias -= h * p.lanes;
  p.out[(h * p.slots + t) * p.lanes + d] = p.at(h, t, d);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "qkv_project",
                              .name = ASSAY_PLANTED ? "bias_of_first_head" : "bias_of_each_head",
                              .domains = assay::device::without_blocks({"wq", "wk", "wv"}),
                              .run = assay::selftest::run_projections<project>});
