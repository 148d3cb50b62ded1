// EXPECT: MISMATCH NONFINITE PROPERTY. A row of the table stops looking after the first token with its id.
// SMALLEST: f32 S=2 dim=1 vocab=1 ids=distinct block=32
// TWIN: A row of the table adds all tokens with its id.
#include "harness/op/variant.h"

namespace {

template <class T>
__global__ void embedding_backward(const T* g,           // (tokens, dim)
                                   const uint32_t* ids,  // (tokens)
                                   float* dw,            // (gridDim.x, dim)
                                   int64_t tokens, int64_t dim) {
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    for (int64_t s = 0; s < tokens; ++s) {
      if (ids[s] != blockIdx.x) continue;
      dw[blockIdx.x * dim + d] += static_cast<float>(g[s * dim + d]);
#if ASSAY_PLANTED
      break;
#endif
    }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(embedding_backward<T>, {.grid = dim3(static_cast<unsigned>(vocab)), .block = dim3(call.block())},
                  call.in<T>("g"), call.in<uint32_t>("ids"), call.out<float>("dw"), tokens, dim);
  });
}

const assay::RegisterVariant kVariant({.op = "embedding_backward",
                                       .name = ASSAY_PLANTED ? "duplicates_dropped" : "duplicates_added",
                                       .summary = ASSAY_PLANTED ? "adds only the first token of every id"
                                                                : "adds every token of an id",
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
