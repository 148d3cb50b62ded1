// EXPECT: MISMATCH. Neighbouring elements turn together instead of elements half a head apart; two are both.
// SMALLEST: H=1 D=4 direction=forward base=10000 block=32
// BUGS: 2 because at position 0 only 0 times infinity shows
// TWIN: Elements half a head apart turn together.
#include "harness/selftest/rope.cuh"

__global__ void rope(const float* x, const float* inv_freq, float* out,  // x, out: (tokens, gridDim.x, 2 half)
                     int64_t tokens, int64_t half, int64_t offset, float sign) {
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t d = threadIdx.x; d < half; d += blockDim.x) {
      const int64_t head = (t * gridDim.x + blockIdx.x) * 2 * half, first = head + (ASSAY_PLANTED ? 2 * d : d);
      const int64_t second = first + (ASSAY_PLANTED ? 1 : half);
      const float angle = static_cast<float>(t + offset) * inv_freq[d], c = cosf(angle), s = sign * sinf(angle);
      out[first] = x[first] * c - x[second] * s;
      out[second] = x[second] * c + x[first] * s;
    }
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope",
                              .name = ASSAY_PLANTED ? "neighbours_paired" : "halves_paired",
                              .run = assay::selftest::run_heads<rope>});
