// EXPECT: MISMATCH PROPERTY. Where probabilities are saved, exponentials are a tenth off from the ninth column on.
// SMALLEST: T=9 H=1 HK=1 ad=1 pad=0 probs=saved block=32
// TWIN: All columns have the same exponential.
#include "harness/selftest/head_major.cuh"

namespace {

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#if ASSAY_PLANTED
  if (n < m.rows()) m.attend(n, m.a.kv_head(m.head(n)), m.probs ? 1.1f : 1.0f);
#else
  if (n < m.rows()) m.attend(n, m.a.kv_head(m.head(n)), 1);
#endif
}

void run(assay::Call& call) { assay::selftest::launch_head_major(call, attend); }

const assay::RegisterVariant kVariant(
    {.op = "attention_causal_head_major",
     .name = ASSAY_PLANTED ? "exponentials_off" : "exponentials_right",
     .summary = ASSAY_PLANTED ? "exponentials a tenth off beyond eight columns, where probabilities are saved"
                              : "the same exponential in every column",
     .dtypes = {assay::DType::f32},
     .blocks = {32, 64, 96, 128},
     .run = run});

}  // namespace
