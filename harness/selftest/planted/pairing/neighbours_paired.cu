// EXPECT: MISMATCH. Neighbouring elements turn together instead of elements half a head apart; two are both.
// SMALLEST: H=1 D=4 direction=forward base=10000 block=32
// BUGS: 2 because at position 0 only 0 times infinity shows
// TWIN: Elements half a head apart turn together.
#include "harness/op/variant.h"

namespace {

__global__ void rope(const float* x, const float* inv_freq, float* out,  // x, out: (tokens, gridDim.x, 2 half)
                     int64_t tokens, int64_t half, int64_t offset, float sign) {
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t d = threadIdx.x; d < half; d += blockDim.x) {
#if ASSAY_PLANTED
      const int64_t head = (t * gridDim.x + blockIdx.x) * 2 * half, first = head + 2 * d, second = first + 1;
#else
      const int64_t head = (t * gridDim.x + blockIdx.x) * 2 * half, first = head + d, second = first + half;
#endif
      const float angle = static_cast<float>(t + offset) * inv_freq[d], c = cosf(angle), s = sign * sinf(angle);
      out[first] = x[first] * c - x[second] * s;
      out[second] = x[second] * c + x[first] * s;
    }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H");
  if (tokens == 0) return;
  assay::launch(rope, {.grid = dim3(static_cast<unsigned>(heads)), .block = dim3(call.block())}, call.in<float>("x"),
                call.in<float>("inv_freq"), call.out<float>("out"), tokens, call.dim("D") / 2, call.dim("pos_offset"),
                call.text("direction") == "backward" ? -1.0f : 1.0f);
}

const assay::RegisterVariant kVariant({.op = "rope",
                                       .name = ASSAY_PLANTED ? "neighbours_paired" : "halves_paired",
                                       .summary = ASSAY_PLANTED ? "pairs neighbouring elements"
                                                                : "pairs elements half a head apart",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
