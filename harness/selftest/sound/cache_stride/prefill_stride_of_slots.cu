// EXPECT: PASS. Heads lie as many slots apart as the cache has.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

namespace {

__global__ void project(assay::selftest::HeadProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * p.tokens * p.lanes) return;
  const int64_t h = i / (p.tokens * p.lanes), t = i / p.lanes % p.tokens, d = i % p.lanes;
  p.out[(h * p.slots + t) * p.lanes + d] = p.at(h, t, d);
}

void run(assay::Call& call) { assay::selftest::launch_projections(call, project); }

const assay::RegisterVariant kVariant({.op = "qkv_project",
                                       .name = "prefill_stride_of_slots",
                                       .summary = "heads of k and v lie as many slots apart as the cache has",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .domains = assay::device::without_blocks({"wq", "wk", "wv"}),
                                       .run = run});

}  // namespace
