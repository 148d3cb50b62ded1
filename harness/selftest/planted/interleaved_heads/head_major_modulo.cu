// EXPECT: MISMATCH PROPERTY NONFINITE. Query head h reads key head h % HK.
// SMALLEST: T=1 H=4 HK=2 ad=1 pad=0 block=32
// TWIN: Neighbouring query heads share a key head.
#include "harness/selftest/head_major.cuh"

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t kv_head = ASSAY_PLANTED ? m.head(n) % m.a.kv_heads : m.head(n) / (m.a.heads / m.a.kv_heads);
  if (n < m.rows()) m.attend(n, kv_head, 1);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_causal_head_major",
                              .name = ASSAY_PLANTED ? "head_major_modulo" : "head_major_groups",
                              .run = assay::selftest::run_head_major<attend>});
