// One block per row: the variant to read first.
//
// Three passes over the columns that a row has: maximum, sum of exponentials, quotients. Later rows have more of them,
// so blocks end at different times; short rows leave most of a block idle.
#include <cmath>

#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/scaled.cuh"

namespace {

using namespace assay::device;

// scores, probs: (heads, width, width), maybe one buffer. A block per row below `tokens`.
template <class T>
__global__ void causal_softmax(const T* scores, T* probs, int64_t tokens, int64_t width, float scale) {
  __shared__ float scratch[1024];
  const int64_t i = blockIdx.x % tokens, row = score_row(blockIdx.x / tokens, i, width);
  float maximum = -INFINITY, total = 0;
  for (int64_t j = threadIdx.x; j <= i; j += blockDim.x) maximum = Larger()(maximum, scaled(scores[row + j], scale));
  maximum = block_reduce(maximum, scratch, Larger());
  for (int64_t j = threadIdx.x; j <= i; j += blockDim.x) total += expf(scaled(scores[row + j], scale) - maximum);
  total = block_reduce(total, scratch, Add());
  for (int64_t j = threadIdx.x; j < tokens; j += blockDim.x)
    probs[row + j] = static_cast<T>(j <= i ? expf(scaled(scores[row + j], scale) - maximum) / total : 0.0f);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(causal_softmax<T>, block_for_each(call, call.dim("H") * tokens), call.in<T>("scores"),
                  call.out<T>("probs"), tokens, call.dim("aw"), call.real("scale"));
  });
}

const assay::RegisterVariant kVariant({.op = "causal_softmax",
                                       .name = "block_per_row",
                                       .summary = "a block per row, three passes over what it has",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = too_many_blocks("a block per row", {"H", "T"}),
                                       .element_at = score_element_at,
                                       .run = run});

}  // namespace
