// EXPECT: MISMATCH. Elements 2j and 2j + 1 are taken for those of byte j.
// SMALLEST: rows=1 K=32
// TWIN: Byte j holds elements j and j + 16.
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t* block = all + b * 18;
#if ASSAY_PLANTED
    const int byte = block[2 + i / 2];
    return half_at(block) * static_cast<float>((i % 2 == 0 ? byte & 15 : byte >> 4) - 8);
#else
    const int byte = block[2 + i % 16];
    return half_at(block) * static_cast<float>((i < 16 ? byte & 15 : byte >> 4) - 8);
#endif
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "dequantize",
                              .name = ASSAY_PLANTED ? "neighbours_in_a_byte" : "halves_in_a_byte",
                              .summary = ASSAY_PLANTED ? "takes neighbours for the halves of a byte"
                                                       : "takes both halves of a block from the halves of its bytes",
                              .run = assay::selftest::run_dequantize<Format>},
                             "q4_0");

}  // namespace
