// EXPECT: MISMATCH PROPERTY. From two tiles on, the terms after the last whole tile of K are left out.
// SMALLEST: M=1 N=1 K=17 layout=nt bias=0 accumulate=0
// TWIN: The last tile of K is filled up with zeros.
#include "harness/selftest/gemm_tile.cuh"

namespace {

using namespace assay::selftest;

__global__ void gemm(const float* a, const float* b, float* c, assay::device::GemmArgs args) {
  __shared__ float a_tile[kGemmTile][kGemmTile], b_tile[kGemmTile][kGemmTile];
#if ASSAY_PLANTED
  const int64_t whole = args.depth / kGemmTile * kGemmTile;
  gemm_tile(a, b, c, args, whole > 0 ? whole : args.depth, a_tile, b_tile);
#else
  gemm_tile(a, b, c, args, args.depth, a_tile, b_tile);
#endif
}

void run(assay::Call& call) { launch_gemm(call, gemm); }

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = ASSAY_PLANTED ? "k_tail_dropped" : "k_tail_summed",
                                       .summary = ASSAY_PLANTED ? "leaves out what follows the last whole tile of K"
                                                                : "sums the last tile of K as far as it goes",
                                       .dtypes = {assay::DType::f32},
                                       .run = run});

}  // namespace
