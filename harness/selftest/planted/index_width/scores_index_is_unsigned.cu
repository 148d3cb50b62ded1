// EXPECT: OUT_OF_BOUNDS. Blocks of three dimensions make an index of 32 bits, which wraps at 2^32 elements.
// SMALLEST: causal=0 block=32
// SUITE: huge
// TWIN: The index has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// scores, masked: (gridDim.x, tokens, tokens); gridDim.y rows
__global__ void scale_scores(const float* scores, float* masked, int64_t tokens, float scale, bool causal) {
  const Index size = static_cast<Index>(tokens);
  for (Index j = threadIdx.x; j < size; j += blockDim.x) {
    const Index i = (static_cast<Index>(blockIdx.x) * size + blockIdx.y) * size + j;
    masked[i] = causal && j > blockIdx.y ? -INFINITY : scores[i] * scale;
  }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0 || heads == 0) return;
  assay::launch(
      scale_scores,
      {.grid = dim3(static_cast<unsigned>(heads), static_cast<unsigned>(tokens)), .block = dim3(call.block())},
      call.in<float>("scores"), call.out<float>("masked"), tokens, call.real("scale"), call.text("causal") == "1");
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "attention_score", .name = ASSAY_PLANTED ? "index_is_unsigned" : "index_is_long", .run = run});
