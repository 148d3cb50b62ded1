// EXPECT: MISMATCH. Angles for which sinf must reduce by many digits of 2/pi take the intrinsics, which do not.
// SMALLEST: T=1 H=1 D=2 pos_offset=1000000 direction=forward base=10000 block=32
// TWIN: One sine for all angles, which reduces them rightly.
#include "harness/selftest/rope.cuh"

constexpr float kSlowFrom = 105615.0f;

__global__ void rope(const float* x, const float* inv_freq, float* out,  // x, out: (tokens, gridDim.x, 2 half)
                     int64_t tokens, int64_t half, int64_t offset, float sign) {
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t d = threadIdx.x; d < half; d += blockDim.x) {
      const int64_t first = (t * gridDim.x + blockIdx.x) * 2 * half + d, second = first + half;
      const float angle = static_cast<float>(t + offset) * inv_freq[d];
      float s, c;
      if (ASSAY_PLANTED && fabsf(angle) > kSlowFrom)
        __sincosf(angle, &s, &c);
      else
        sincosf(angle, &s, &c);
      s *= sign;
      out[first] = x[first] * c - x[second] * s;
      out[second] = x[second] * c + x[first] * s;
    }
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope",
                              .name = ASSAY_PLANTED ? "far_sines_approximated" : "far_sines_reduced",
                              .run = assay::selftest::run_heads<rope>});
