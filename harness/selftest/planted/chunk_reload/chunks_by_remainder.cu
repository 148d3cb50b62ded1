// EXPECT: MISMATCH NONFINITE. Whether a head is one chunk is taken from its size modulo two chunks, so that one of 128
// elements counts as none: from the second tile of keys on, its first chunk is what the last one left.
// SMALLEST: B=1 Sq=1 Sk=33 H=1 HK=1 D=128
// SUITE: ci
// TWIN: Every chunk is loaded again for each tile of keys.
#include "harness/selftest/chunked_attention.cuh"

using assay::selftest::Attention, assay::selftest::kChunk;

__global__ void attention(Attention t) {
  assay::selftest::chunked_attention(t, ASSAY_PLANTED && t.a.dim % (2 * kChunk) <= kChunk);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "chunks_by_remainder" : "chunks_always_loaded",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
