// EXPECT: PASS. All columns have the same exponential.
#include "harness/selftest/head_major.cuh"

namespace {

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < m.rows()) m.attend(n, m.a.kv_head(m.head(n)), 1);
}

void run(assay::Call& call) { assay::selftest::launch_head_major(call, attend); }

const assay::RegisterVariant kVariant({.op = "attention_causal_head_major",
                                       .name = "exponentials_right",
                                       .summary = "the same exponential in every column",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
