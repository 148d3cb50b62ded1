// EXPECT: NONFINITE MISMATCH PROPERTY. Weights are exponentials of the scores themselves, without their maximum.
// SMALLEST: T=1 pad=0 fill=exponents block=32
// BUGS: 2 because sums that underflow in part leave numbers, and others none
// TWIN: Weights count from the largest score so far.
#include "harness/selftest/head_major.cuh"

__global__ void attend(assay::selftest::HeadMajor m) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= m.rows()) return;
  const int64_t i = n % m.a.queries, h = n / m.a.queries, kv_head = h / (m.a.heads / m.a.kv_heads);
  if (!ASSAY_PLANTED) return m.attend(n, kv_head, 1);
  float* row = m.out + n * m.stride;
  float total = 0;
  for (int64_t d = 0; d < m.stride; ++d) row[d] = 0;
  for (int64_t j = 0; j <= i; ++j) {
    const float weight = expf(m.score(h, kv_head, i, j));
    total += weight;
    for (int64_t d = 0; d < m.a.dim; ++d) row[d] += weight * m.v[m.a.kv.at(0, j, kv_head) + d];
  }
  for (int64_t d = 0; d < m.a.dim; ++d) row[d] /= total;
  for (int64_t j = 0; m.probs && j < m.a.queries; ++j)
    m.probs[assay::device::score_row(h, i, m.width) + j] = j <= i ? expf(m.score(h, kv_head, i, j)) / total : 0;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_causal_head_major",
                              .name = ASSAY_PLANTED ? "head_major_without_maximum" : "head_major_with_maximum",
                              .run = assay::selftest::run_head_major<attend>});
