// EXPECT: MISMATCH. Code 0 means 0, and not -32 steps.
// SMALLEST: rows=1 K=256
// TWIN: Code 32 means 0.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Format {
  static constexpr int kElements = 256;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const uint8_t* block = all + b * 210;
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    const int low = block[half * 64 + quarter % 2 * 32 + lane] >> (quarter < 2 ? 0 : 4) & 15;
    const int code = low | (block[128 + half * 32 + lane] >> (2 * quarter) & 3) << 4;
    const int steps = ASSAY_PLANTED ? code : code - 32;
    return half_at(block + 208) * static_cast<float>(signed_at(block + 192 + i / 16) * steps);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "dequantize",
                                        .name = ASSAY_PLANTED ? "zero_at_code_0" : "zero_at_code_32",
                                        .run = assay::selftest::run_dequantize<Format>},
                                       "q6_k");
