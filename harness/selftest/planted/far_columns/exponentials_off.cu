// EXPECT: MISMATCH PROPERTY. Where probabilities are saved, exponentials are a tenth off from the ninth column on.
// SMALLEST: T=9 H=1 HK=1 ad=1 pad=0 probs=saved block=32
// TWIN: All columns have the same exponential.
#include "harness/selftest/head_major.cuh"

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < m.rows()) m.attend(n, m.a.kv_head(m.head(n)), ASSAY_PLANTED && m.probs ? 1.1f : 1.0f);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_causal_head_major",
                              .name = ASSAY_PLANTED ? "exponentials_off" : "exponentials_right",
                              .run = assay::selftest::run_head_major<attend>});
