// EXPECT: MISMATCH PROPERTY. The bias comes with the product of every head.
// SMALLEST: H=2 ad=1 aE=1 T=1 biases=o block=32
// TWIN: The bias comes once.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

namespace {

__global__ void project(assay::selftest::OutProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.tokens * p.outs) return;
  const int64_t t = i / p.outs, e = i % p.outs;
  const float bias = p.bo != nullptr ? p.bo[e] : 0;
#if ASSAY_PLANTED
  float sum = 0;
  for (int64_t h = 0; h < p.heads; ++h) sum += bias + p.of_head(t, e, h, p.by_head);
#else
  float sum = bias;
  for (int64_t h = 0; h < p.heads; ++h) sum += p.of_head(t, e, h, p.by_head);
#endif
  p.out[i] = sum;
}

void run(assay::Call& call) { assay::selftest::launch_out_projection(call, project); }

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = ASSAY_PLANTED ? "bias_with_every_head" : "bias_once",
                                       .summary = ASSAY_PLANTED ? "adds the bias with every head"
                                                                : "adds the bias once",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .domains = assay::device::without_blocks({"wo"}),
                                       .run = run});

}  // namespace
