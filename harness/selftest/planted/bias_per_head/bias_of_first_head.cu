// EXPECT: MISMATCH PROPERTY. All heads get the bias of the first one.
// SMALLEST: HK=1 ad=1 aE=1 T=1 block=32
// BUGS: 2 because q and k have a bias each, and cases with one of them
// TWIN: Each head gets its own bias.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

namespace {

__global__ void project(assay::selftest::HeadProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * p.tokens * p.lanes) return;
  const int64_t h = i / (p.tokens * p.lanes), t = i / p.lanes % p.tokens, d = i % p.lanes;
#if ASSAY_PLANTED
  if (p.bias != nullptr) p.bias -= h * p.lanes;
#endif
  p.out[(h * p.slots + t) * p.lanes + d] = p.at(h, t, d);
}

void run(assay::Call& call) { assay::selftest::launch_projections(call, project); }

const assay::RegisterVariant kVariant({.op = "qkv_project",
                                       .name = ASSAY_PLANTED ? "bias_of_first_head" : "bias_of_each_head",
                                       .summary = ASSAY_PLANTED ? "gives all heads the bias of the first"
                                                                : "gives each head its own bias",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .domains = assay::device::without_blocks({"wq", "wk", "wv"}),
                                       .run = run});

}  // namespace
