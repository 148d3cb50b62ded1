// EXPECT: MISMATCH. The scale is that of the block before, from the second block on.
// SMALLEST: rows=1 K=64
// BUGS: 2 because scales of any bits are infinities too, whatever the data
// TWIN: The scale is that of the element's block.
#include "harness/selftest/blocks.cuh"

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    const int64_t scaling = ASSAY_PLANTED && b > 0 ? b - 1 : b;
    return half_at(all + scaling * 34) * static_cast<float>(signed_at(all + b * 34 + 2 + i));
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted_in_format({.op = "dequantize",
                                        .name = ASSAY_PLANTED ? "scale_of_the_block_before" : "scale_of_its_own_block",
                                        .run = assay::selftest::run_dequantize<Format>},
                                       "q8_0");
