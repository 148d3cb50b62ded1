// EXPECT: MISMATCH NONFINITE PROPERTY. A row of the table stops looking after the first token with its id.
// SMALLEST: f32 S=2 dim=1 vocab=1 ids=distinct block=32
// TWIN: A row of the table adds all tokens with its id.
#include "harness/selftest/planted_kernel.cuh"

template <class T>
__global__ void embedding_backward(const T* g,           // (tokens, dim)
                                   const uint32_t* ids,  // (tokens)
                                   float* dw,            // (gridDim.x, dim)
                                   int64_t tokens, int64_t dim) {
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    for (int64_t s = 0; s < tokens; ++s) {
      if (ids[s] != blockIdx.x) continue;
      dw[blockIdx.x * dim + d] += static_cast<float>(g[s * dim + d]);
      if (ASSAY_PLANTED) break;
    }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(embedding_backward<T>, assay::device::block_for_each(call, vocab), call.in<T>("g"),
                  call.in<uint32_t>("ids"), call.out<float>("dw"), tokens, dim);
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "embedding_backward",
                              .name = ASSAY_PLANTED ? "duplicates_dropped" : "duplicates_added",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .run = run});
