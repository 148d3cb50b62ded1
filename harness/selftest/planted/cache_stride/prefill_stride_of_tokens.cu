// EXPECT: INPUT_CHANGED PROPERTY. Prefill puts heads of k and v as many slots apart as there are tokens.
// SMALLEST: H=2 HK=2 ad=1 aE=1 T=1 kv_stride=2 biases=none block=32
// TWIN: Heads lie as many slots apart as the cache has.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

__global__ void project(assay::selftest::HeadProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * p.tokens * p.lanes) return;
  const int64_t h = i / (p.tokens * p.lanes), t = i / p.lanes % p.tokens, d = i % p.lanes;
  p.out[(h * (ASSAY_PLANTED ? p.tokens : p.slots) + t) * p.lanes + d] = p.at(h, t, d);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "qkv_project",
                              .name = ASSAY_PLANTED ? "prefill_stride_of_tokens" : "prefill_stride_of_slots",
                              .domains = assay::device::without_blocks({"wq", "wk", "wv"}),
                              .run = assay::selftest::run_projections<project>});
