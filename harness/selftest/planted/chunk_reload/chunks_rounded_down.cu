// EXPECT: MISMATCH NONFINITE. The number of chunks of a head is rounded down, so that one of 65 to 127 elements counts
// as one chunk: from the second tile of keys on, its first chunk is what the last one left.
// SMALLEST: B=1 Sq=1 Sk=33 H=1 HK=1 D=65
// SUITE: ci
// TWIN: A head of more elements than a chunk holds is loaded again for each tile of keys.
#include "harness/selftest/chunked_attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::kChunk;

#if ASSAY_PLANTED
__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, t.a.dim / kChunk <= 1); }
#else
__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, t.a.dim <= kChunk); }
#endif

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "chunks_rounded_down" : "chunks_rounded_up",
                                       .summary = ASSAY_PLANTED ? "reloads a head of two whole chunks only"
                                                                : "reloads every head of several chunks",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
