// EXPECT: MISMATCH. Elements 2j and 2j + 1 are taken for those of byte j.
// SMALLEST: rows=1 K=32
// TWIN: Byte j holds elements j and j + 16.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t* block = all + b * 18;
    const int byte = block[2 + (ASSAY_PLANTED ? i / 2 : i % 16)];
    const bool low = ASSAY_PLANTED ? i % 2 == 0 : i < 16;
    return half_at(block) * static_cast<float>((low ? byte & 15 : byte >> 4) - 8);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "dequantize",
                                        .name = ASSAY_PLANTED ? "neighbours_in_a_byte" : "halves_in_a_byte",
                                        .run = assay::selftest::run_dequantize<Format>},
                                       "q4_0");
