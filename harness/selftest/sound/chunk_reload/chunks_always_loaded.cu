// EXPECT: PASS. Every chunk is loaded again for each tile of keys.
// SUITE: ci
#include "harness/selftest/chunked_attention.cuh"

namespace {

using assay::selftest::Attention, assay::selftest::kChunk;

__global__ void attention(Attention t) { assay::selftest::chunked_attention(t, false); }

void run(assay::Call& call) { assay::selftest::launch_attention(call, attention); }

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "chunks_always_loaded",
                                       .summary = "reloads every chunk",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
