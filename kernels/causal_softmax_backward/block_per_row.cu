// One block per row: the variant to read first. Two passes over the columns that a row has, a dot product and the
// gradient.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"

namespace {

using namespace assay::device;

// w, dp, ds: (heads, width, width), the last two maybe one buffer. A block per row below `tokens`.
template <class T>
__global__ void causal_softmax_backward(const T* w, const T* dp, T* ds, int64_t tokens, int64_t width, float scale) {
  __shared__ float scratch[1024];
  const int64_t i = blockIdx.x % tokens, row = score_row(blockIdx.x / tokens, i, width);
  float dot = 0;
  for (int64_t j = threadIdx.x; j <= i; j += blockDim.x)
    dot += static_cast<float>(w[row + j]) * static_cast<float>(dp[row + j]);
  dot = block_reduce(dot, scratch, Add());
  for (int64_t j = threadIdx.x; j < tokens; j += blockDim.x)
    ds[row + j] = static_cast<T>(
        j <= i ? static_cast<float>(w[row + j]) * (static_cast<float>(dp[row + j]) - dot) * scale : 0.0f);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(causal_softmax_backward<T>, block_for_each(call, call.dim("H") * tokens), call.in<T>("w"),
                  call.in<T>("dp"), call.out<T>("ds"), tokens, call.dim("aw"), call.real("scale"));
  });
}

const assay::RegisterVariant kVariant({.op = "causal_softmax_backward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, two passes over what it has",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = too_many_blocks("a block per row", {"H", "T"}),
                                       .element_at = score_element_at,
                                       .run = run});

}  // namespace
