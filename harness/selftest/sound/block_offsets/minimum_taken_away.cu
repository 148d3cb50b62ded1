// EXPECT: PASS. The minimum of a group is taken away.
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 256;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t *block = all + b * 144, *packed = block + 4;
    const int group = i / 32, first = packed[group % 4], second = packed[group % 4 + 4], last = packed[8 + group % 4];
    const int scale = group < 4 ? first & 63 : (last & 15) | first >> 6 << 4;
    const int minimum = group < 4 ? second & 63 : last >> 4 | second >> 6 << 4;
    const int byte = block[16 + i / 64 * 32 + i % 32], code = i % 64 < 32 ? byte & 15 : byte >> 4;
    return half_at(block) * static_cast<float>(scale * code) - half_at(block + 2) * static_cast<float>(minimum);
  }
};

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "dequantize",
                                                                  .name = "minimum_taken_away",
                                                                  .summary = "takes minima away",
                                                                  .run = assay::selftest::run_dequantize<Format>},
                                                                 "q4_k");

}  // namespace
