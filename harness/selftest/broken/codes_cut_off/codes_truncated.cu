// EXPECT: MISMATCH PROPERTY. The fraction of a quotient is cut off.
// SMALLEST: rows=1 K=32
#include "harness/selftest/blocks.cuh"

namespace {

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
    for (int i = 0; i < 32; ++i) q[2 + i] = static_cast<uint8_t>(finite ? static_cast<int>(x[i] * inverse) : 0);
  }
};

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "quantize",
                                                                  .name = "codes_truncated",
                                                                  .summary = "truncates codes",
                                                                  .run = assay::selftest::run_quantize<Quantiser>},
                                                                 "q8_0");

}  // namespace
