// EXPECT: PASS. The scale is that of the element's block.
#include "harness/selftest/blocks.cuh"

namespace {

using namespace assay::device;

struct Format {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t b, int i) {
    return half_at(all + b * 34) * static_cast<float>(signed_at(all + b * 34 + 2 + i));
  }
};

const assay::RegisterVariant kVariant = assay::selftest::planted({.op = "dequantize",
                                                                  .name = "scale_of_its_own_block",
                                                                  .summary = "reads each block's scale",
                                                                  .run = assay::selftest::run_dequantize<Format>},
                                                                 "q8_0");

}  // namespace
