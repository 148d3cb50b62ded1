// EXPECT: PASS. A head of more elements than a chunk holds is loaded again for each tile of keys.
// SUITE: ci
#include "harness/selftest/chunked_attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::kChunk;

__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, t.a.dim <= kChunk); }

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "chunks_rounded_up",
                                       .summary = "reloads every head of several chunks",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
