// EXPECT: MISMATCH. The scale is that of the block before, from the second block on.
// SMALLEST: rows=1 K=64
// BUGS: 2 because scales of any bits are infinities too, whatever the data
// TWIN: The scale is that of the element's block.
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
#if ASSAY_PLANTED
    return half_at(all + (b > 0 ? b - 1 : b) * 34) * static_cast<float>(signed_at(all + b * 34 + 2 + i));
#else
    return half_at(all + b * 34) * static_cast<float>(signed_at(all + b * 34 + 2 + i));
#endif
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "dequantize",
                              .name = ASSAY_PLANTED ? "scale_of_the_block_before" : "scale_of_its_own_block",
                              .summary = ASSAY_PLANTED ? "reads scales a block too early" : "reads each block's scale",
                              .run = assay::selftest::run_dequantize<Format>},
                             "q8_0");

}  // namespace
