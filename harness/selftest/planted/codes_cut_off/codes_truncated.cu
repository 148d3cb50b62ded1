// EXPECT: MISMATCH PROPERTY. The fraction of a quotient is cut off.
// SMALLEST: rows=1 K=32
// TWIN: Codes are rounded to nearest, ties to even: either way of a tie is right.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Quantiser {
  __device__ static void block(const float* x, uint8_t* q) {
    float size = 0;
    bool finite = true;
    for (int i = 0; i < 32; ++i) {
      size = fmaxf(size, fabsf(x[i]));
      finite = finite && fabsf(x[i]) <= FLT_MAX;
    }
    const float d = size / 127.0f, inverse = d == 0 ? 0.0f : 1.0f / d;
    put_half(q, finite ? d : __uint_as_float(0x7fffffff));
    for (int i = 0; i < 32; ++i) {
      const float quotient = ASSAY_PLANTED ? x[i] * inverse : rintf(x[i] * inverse);
      q[2 + i] = static_cast<uint8_t>(finite ? static_cast<int>(quotient) : 0);
    }
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "quantize",
                                        .name = ASSAY_PLANTED ? "codes_truncated" : "codes_rounded",
                                        .run = assay::selftest::run_quantize<Quantiser>},
                                       "q8_0");
