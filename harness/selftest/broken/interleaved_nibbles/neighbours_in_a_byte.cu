// EXPECT: MISMATCH. Elements 2j and 2j + 1 are taken for those of byte j.
// SMALLEST: rows=1 K=32
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t* block = all + b * 18;
    const int byte = block[2 + i / 2];
    return half_at(block) * static_cast<float>((i % 2 == 0 ? byte & 15 : byte >> 4) - 8);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "dequantize",
                              .name = "neighbours_in_a_byte",
                              .summary = "takes neighbours for the halves of a byte",
                              .run = assay::selftest::run_dequantize<Format>},
                             "q4_0");

}  // namespace
