// EXPECT: MISMATCH PROPERTY. From two tiles on, the terms after the last whole tile of K are left out.
// SMALLEST: M=1 N=1 K=17 layout=nt bias=0 accumulate=0
// TWIN: The last tile of K is filled up with zeros.
#include "harness/selftest/gemm_tile.cuh"

using namespace assay::selftest;

__global__ void gemm(const float* a, const float* b, float* c, assay::device::GemmArgs args) {
  __shared__ float a_tile[kGemmTile][kGemmTile], b_tile[kGemmTile][kGemmTile];
  const int64_t whole = args.depth / kGemmTile * kGemmTile;
  gemm_tile(a, b, c, args, ASSAY_PLANTED && whole > 0 ? whole : args.depth, a_tile, b_tile);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "gemm", .name = ASSAY_PLANTED ? "k_tail_dropped" : "k_tail_summed", .blocks = {}, .run = run_gemm<gemm>});
