// EXPECT: MISMATCH. The path for scores that do not begin at a multiple of 16 bytes leaves out the scale.
// SMALLEST: H=1 S=1 scale=0.125 block=32 offset=scores:1
// TWIN: Scores are scaled wherever they begin.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/vector_load.cuh"

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
    const float factor = ASSAY_PLANTED && !aligned ? 1 : scale;
    pack.values[j] = causal && col > row ? -INFINITY : pack.values[j] * factor;
  }
  store_pack(masked, first, count, aligned, pack);
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0) return;
  assay::launch(attention_score, thread_for_each(call, pack_count<float>(heads * tokens * tokens)),
                call.in<float>("scores"), call.out<float>("masked"), heads, tokens, call.real("scale"),
                call.text("causal") == "1");
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_score",
                              .name = ASSAY_PLANTED ? "slices_unscaled" : "slices_scaled",
                              .blocks = {32, 64},
                              .run = run});
