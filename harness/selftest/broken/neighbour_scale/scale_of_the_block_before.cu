// EXPECT: MISMATCH. The scale is that of the block before, from the second block on.
// SMALLEST: rows=1 K=64
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    return half_at(all + (b > 0 ? b - 1 : b) * 34) * static_cast<float>(signed_at(all + b * 34 + 2 + i));
  }
};

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "dequantize",
                                                                  .name = "scale_of_the_block_before",
                                                                  .summary = "reads scales a block too early",
                                                                  .run = assay::selftest::run_dequantize<Format>},
                                                                 "q8_0");

}  // namespace
