// EXPECT: MISMATCH NONFINITE. The number of chunks of a head is rounded down, so that one of 65 to 127 elements counts
// as one chunk: from the second tile of keys on, its first chunk is what the last one left.
// SMALLEST: B=1 Sq=1 Sk=33 H=1 HK=1 D=65
// SUITE: ci
#include "harness/selftest/chunked_attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::kChunk;

__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, t.a.dim / kChunk <= 1); }

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "chunks_rounded_down",
                                       .summary = "reloads a head of two whole chunks only",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
