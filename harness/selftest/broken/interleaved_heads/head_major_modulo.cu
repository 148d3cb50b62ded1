// EXPECT: MISMATCH PROPERTY NONFINITE. Query head h reads key head h % HK.
// SMALLEST: T=1 H=4 HK=2 ad=1 pad=0 block=32
#include "harness/selftest/head_major.cuh"

namespace {

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < m.rows()) m.attend(n, m.head(n) % m.a.kv_heads, 1);
}

void run(assay::Call& call) { assay::selftest::launch_head_major(call, attend); }

const assay::RegisterVariant kVariant({.op = "attention_causal_head_major",
                                       .name = "head_major_modulo",
                                       .summary = "query head h reads key head h % HK",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
