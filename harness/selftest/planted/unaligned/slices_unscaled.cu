// EXPECT: MISMATCH. The path for scores that do not begin at a multiple of 16 bytes leaves out the scale.
// SMALLEST: H=1 S=1 scale=0.125 block=32 offset=scores:1
// TWIN: Scores are scaled wherever they begin.
#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

// A thread per pack of all scores in a row. scores, masked: (heads, tokens, tokens)
__global__ void attention_score(const float* scores, float* masked, int64_t heads, int64_t tokens, float scale,
                                bool causal) {
  const int64_t count = heads * tokens * tokens;
  const int64_t first = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Pack<float>::kWidth;
  const bool aligned = is_pack_aligned(scores) && is_pack_aligned(masked);
  if (first >= count) return;
  Pack<float> pack = load_pack(scores, first, count, aligned, 0);
  for (int j = 0; j < Pack<float>::kWidth; ++j) {
    const int64_t row = (first + j) / tokens % tokens, col = (first + j) % tokens;
#if ASSAY_PLANTED
    pack.values[j] = causal && col > row ? -INFINITY : pack.values[j] * (aligned ? scale : 1);
#else
    pack.values[j] = causal && col > row ? -INFINITY : pack.values[j] * scale;
#endif
  }
  store_pack(masked, first, count, aligned, pack);
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0) return;
  const auto blocks = assay::ceil_div(pack_count<float>(heads * tokens * tokens), call.block());
  assay::launch(attention_score, {.grid = dim3(blocks), .block = dim3(call.block())}, call.in<float>("scores"),
                call.out<float>("masked"), heads, tokens, call.real("scale"), call.text("causal") == "1");
}

const assay::RegisterVariant kVariant({.op = "attention_score",
                                       .name = ASSAY_PLANTED ? "slices_unscaled" : "slices_scaled",
                                       .summary = ASSAY_PLANTED ? "scores that are a slice keep their size"
                                                                : "scores that are a slice are scaled too",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64},
                                       .run = run});

}  // namespace
