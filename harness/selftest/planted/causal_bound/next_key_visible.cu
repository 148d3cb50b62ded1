// EXPECT: NONFINITE PROPERTY. The causal bound is one too far: every query sees the next key.
// SMALLEST: f32 H=1 S=2 scale=1 causal=1 block=32
// TWIN: Every key after the query is masked.
#include "harness/selftest/planted_kernel.cuh"

template <class T>
__global__ void attention_score(const T* scores, T* masked, int64_t tokens, float scale,
                                bool causal) {  // scores, masked: (gridDim.x, tokens, tokens)
  const int64_t head = blockIdx.x * tokens * tokens;
  for (int64_t row = 0; row < tokens; ++row)
    for (int64_t col = threadIdx.x; col < tokens; col += blockDim.x) {
      const int64_t i = head + row * tokens + col;
      const bool hidden = causal && col > (ASSAY_PLANTED ? row + 1 : row);
      masked[i] = static_cast<T>(hidden ? -INFINITY : static_cast<float>(scores[i]) * scale);
    }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_score<T>, assay::device::block_for_each(call, heads), call.in<T>("scores"),
                  call.out<T>("masked"), tokens, call.real("scale"), call.text("causal") == "1");
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_score",
                              .name = ASSAY_PLANTED ? "next_key_visible" : "future_masked",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .run = run});
