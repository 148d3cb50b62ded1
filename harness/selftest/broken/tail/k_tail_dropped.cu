// EXPECT: MISMATCH PROPERTY. From two tiles on, the terms after the last whole tile of K are left out.
// SMALLEST: M=1 N=1 K=17 layout=nt bias=0 accumulate=0
#include "harness/selftest/gemm_tile.cuh"

namespace {

using namespace assay::selftest;

__global__ void gemm(const float* a, const float* b, float* c, assay::device::GemmArgs args) {
  __shared__ float a_tile[kGemmTile][kGemmTile], b_tile[kGemmTile][kGemmTile];
  const int64_t whole = args.depth / kGemmTile * kGemmTile;
  gemm_tile(a, b, c, args, whole > 0 ? whole : args.depth, a_tile, b_tile);
}

void run(assay::Call& call) { launch_gemm(call, gemm); }

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "k_tail_dropped",
                                       .summary = "leaves out what follows the last whole tile of K",
                                       .dtypes = {assay::DType::f32},
                                       .run = run});

}  // namespace
