// EXPECT: PASS. Weights are read as they are stored.
#include "harness/selftest/projections.cuh"
#include "kernels/device/formats.cuh"

namespace {

__global__ void project(assay::selftest::OutProjection p) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.tokens * p.outs) return;
  const int64_t t = i / p.outs, e = i % p.outs;
  const float bias = p.bo != nullptr ? p.bo[e] : 0;
  float sum = bias;
  for (int64_t h = 0; h < p.heads; ++h) sum += p.of_head(t, e, h, p.by_head);
  p.out[i] = sum;
}

void run(assay::Call& call) { assay::selftest::launch_out_projection(call, project); }

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = "wo_as_stored",
                                       .summary = "reads the weights as they are stored",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .domains = assay::device::without_blocks({"wo"}),
                                       .run = run});

}  // namespace
