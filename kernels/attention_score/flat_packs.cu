// One thread per 16-byte pack of all scores in a row, whatever rows the pack belongs to.
//
// Against elementwise: 16-byte accesses for every S, because packs follow memory and not rows, one division for a whole
// pack, and packs that are masked throughout are written without being read, which halves the reads of a causal mask.
// The price is a step from row to row inside a pack, which short rows take often.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void attention_score(const T* scores, T* masked, int64_t heads, int64_t tokens, float scale,
                                bool causal) {  // scores, masked: (heads, tokens, tokens)
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t count = heads * tokens * tokens, packs = pack_count<T>(count), step = int64_t{gridDim.x} * blockDim.x;
  const bool aligned = is_pack_aligned(scores) && is_pack_aligned(masked);
  for (int64_t pack = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; pack < packs; pack += step) {
    int64_t row = pack * kWidth / tokens % tokens, col = pack * kWidth % tokens;
    Pack<T> values;
    if (causal && col > row && col + kWidth <= tokens) {
      for (int j = 0; j < kWidth; ++j) values.values[j] = static_cast<T>(-INFINITY);
    } else {
      values = load_pack(scores, pack * kWidth, count, aligned, 0);
      for (int j = 0; j < kWidth; ++j) {
        const bool hidden = causal && col > row;
        values.values[j] = static_cast<T>(hidden ? -INFINITY : static_cast<float>(values.values[j]) * scale);
        if (++col < tokens) continue;
        col = 0;
        if (++row == tokens) row = 0;
      }
    }
    store_pack(masked, pack * kWidth, count, aligned, values);
  }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("S");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_score<T>, striding(call, pack_count<T>(heads * tokens * tokens)), call.in<T>("scores"),
                  call.out<T>("masked"), heads, tokens, call.real("scale"), call.text("causal") == "1");
  });
}

const assay::RegisterVariant kVariant({.op = "attention_score",
                                       .name = "flat_packs",
                                       .summary = "16-byte packs across rows; masked packs are not read",
                                       .blocks = {1, 32, 33, 64, 96, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
