// EXPECT: MISMATCH. The last sixteen elements take the fifth bits of the first sixteen.
// SMALLEST: rows=1 K=32
// TWIN: Bit i is the fifth bit of element i.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t* block = all + b * 22;
    const uint32_t fifths = word_at(block + 2);
    const int byte = block[6 + i % 16], low = i < 16 ? byte & 15 : byte >> 4;
    const int fifth = static_cast<int>(fifths >> (ASSAY_PLANTED ? i % 16 : i) & 1);
    return half_at(block) * static_cast<float>((low | fifth << 4) - 16);
  }
};

const assay::RegisterVariant kVariant = assay::selftest::planted_in_format(
    {.op = "dequantize",
     .name = ASSAY_PLANTED ? "fifth_bits_of_the_other_half" : "fifth_bit_of_each_element",
     .run = assay::selftest::run_dequantize<Format>},
    "q5_0");
