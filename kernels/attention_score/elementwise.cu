// One thread per score: the variant to read first.
//
// Accesses are coalesced, but two bytes or four at a time; each score costs a division to find its row and column, and
// masked ones are not read.
#include "kernels/device/grid.cuh"

namespace {

template <class T>
__global__ void attention_score(const T* scores, T* masked, int64_t heads, int64_t tokens, float scale,
                                bool causal) {  // scores, masked: (heads, tokens, tokens)
  const int64_t count = heads * tokens * tokens, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const int64_t row = i / tokens % tokens, col = i % tokens;
    masked[i] = static_cast<T>(causal && col > row ? -INFINITY : static_cast<float>(scores[i]) * scale);
  }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_score<T>, assay::device::striding(call, heads * tokens * tokens), call.in<T>("scores"),
                  call.out<T>("masked"), heads, tokens, call.real("scale"), call.text("causal") == "1");
  });
}

const assay::RegisterVariant kVariant({.op = "attention_score",
                                       .name = "elementwise",
                                       .summary = "a thread per score",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
