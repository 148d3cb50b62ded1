// EXPECT: MISMATCH PROPERTY NONFINITE. Query head h reads key head h % HK.
// SMALLEST: T=1 H=4 HK=2 ad=1 pad=0 block=32
// TWIN: Neighbouring query heads share a key head.
#include "harness/selftest/head_major.cuh"

namespace {

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#if ASSAY_PLANTED
  if (n < m.rows()) m.attend(n, m.head(n) % m.a.kv_heads, 1);
#else
  if (n < m.rows()) m.attend(n, m.head(n) / (m.a.heads / m.a.kv_heads), 1);
#endif
}

void run(assay::Call& call) { assay::selftest::launch_head_major(call, attend); }

const assay::RegisterVariant kVariant({.op = "attention_causal_head_major",
                                       .name = ASSAY_PLANTED ? "head_major_modulo" : "head_major_groups",
                                       .summary = ASSAY_PLANTED ? "query head h reads key head h % HK"
                                                                : "neighbouring query heads share a key head",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
