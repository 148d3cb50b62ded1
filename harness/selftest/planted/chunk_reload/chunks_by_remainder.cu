// EXPECT: MISMATCH NONFINITE. Whether a head is one chunk is taken from its size modulo two chunks, so that one of 128
// elements counts as none: from the second tile of keys on, its first chunk is what the last one left.
// SMALLEST: B=1 Sq=1 Sk=33 H=1 HK=1 D=128
// SUITE: ci
// TWIN: Every chunk is loaded again for each tile of keys.
#include "harness/selftest/chunked_attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::kChunk;

#if ASSAY_PLANTED
__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, t.a.dim % (2 * kChunk) <= kChunk); }
#else
__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, false); }
#endif

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = ASSAY_PLANTED ? "chunks_by_remainder" : "chunks_always_loaded",
                                       .summary = ASSAY_PLANTED ? "does not reload a head of 128 elements"
                                                                : "reloads every chunk",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
