// EXPECT: MISMATCH. A NaN is not larger than any size, so that the block's scale is a number.
// SMALLEST: rows=1 K=32
// TWIN: A NaN makes the scale of its block a NaN.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Quantiser {
  __device__ static void block(const float* x, uint8_t* q) {
    float size = 0;
    bool finite = true;
    for (int i = 0; i < 32; ++i) {
      size = fmaxf(size, fabsf(x[i]));
      finite = finite && (ASSAY_PLANTED ? !isinf(x[i]) : fabsf(x[i]) <= FLT_MAX);
    }
    const float d = size / 127.0f, inverse = d == 0 ? 0.0f : 1.0f / d;
    put_half(q, finite ? d : __uint_as_float(0x7fffffff));
    for (int i = 0; i < 32; ++i) q[2 + i] = static_cast<uint8_t>(finite ? static_cast<int>(roundf(x[i] * inverse)) : 0);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "quantize",
                                        .name = ASSAY_PLANTED ? "nan_left_out_of_scale" : "nan_in_scale",
                                        .run = assay::selftest::run_quantize<Quantiser>},
                                       "q8_0");
