// EXPECT: MISMATCH NONFINITE. The number of chunks of a head is rounded down, so that one of 65 to 127 elements counts
// as one chunk: from the second tile of keys on, its first chunk is what the last one left.
// SMALLEST: B=1 Sq=1 Sk=33 H=1 HK=1 D=65
// SUITE: ci
// TWIN: A head of more elements than a chunk holds is loaded again for each tile of keys.
#include "harness/selftest/chunked_attention.cuh"

using assay::selftest::Attention, assay::selftest::kChunk;

__global__ void attention(Attention t) {
  assay::selftest::chunked_attention(t, ASSAY_PLANTED ? t.a.dim / kChunk <= 1 : t.a.dim <= kChunk);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_forward",
                              .name = ASSAY_PLANTED ? "chunks_rounded_down" : "chunks_rounded_up",
                              .blocks = {32, 64},
                              .run = assay::selftest::run_attention<attention>});
