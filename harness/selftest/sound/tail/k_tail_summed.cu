// EXPECT: PASS. The last tile of K is filled up with zeros.
#include "harness/selftest/gemm_tile.cuh"

namespace {

using namespace assay::selftest;

__global__ void gemm(const float* a, const float* b, float* c, assay::device::GemmArgs args) {
  __shared__ float a_tile[kGemmTile][kGemmTile], b_tile[kGemmTile][kGemmTile];
  gemm_tile(a, b, c, args, args.depth, a_tile, b_tile);
}

void run(assay::Call& call) { launch_gemm(call, gemm); }

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "k_tail_summed",
                                       .summary = "sums the last tile of K as far as it goes",
                                       .dtypes = {assay::DType::f32},
                                       .run = run});

}  // namespace
