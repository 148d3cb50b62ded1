// EXPECT: MISMATCH. Scales of the last four groups have their low four bits only.
// SMALLEST: rows=1 K=256
// TWIN: Scales of the last four groups have their high bits from the first four's bytes.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Format {
  static constexpr int kElements = 256;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t *block = all + b * 144, *packed = block + 4;
    const int group = i / 32, first = packed[group % 4], second = packed[group % 4 + 4], last = packed[8 + group % 4];
    const int high = ASSAY_PLANTED ? 0 : first >> 6 << 4, high_of_minimum = ASSAY_PLANTED ? 0 : second >> 6 << 4;
    const int scale = group < 4 ? first & 63 : (last & 15) | high;
    const int minimum = group < 4 ? second & 63 : last >> 4 | high_of_minimum;
    const int byte = block[16 + i / 64 * 32 + i % 32], code = i % 64 < 32 ? byte & 15 : byte >> 4;
    return half_at(block) * static_cast<float>(scale * code) - half_at(block + 2) * static_cast<float>(minimum);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "dequantize",
                                        .name = ASSAY_PLANTED ? "high_bits_of_scales_lost" : "scales_of_six_bits",
                                        .run = assay::selftest::run_dequantize<Format>},
                                       "q4_k");
