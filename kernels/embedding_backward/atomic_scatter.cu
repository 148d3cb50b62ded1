// Every element of every token's gradient is added to the table atomically: the variant to read first.
//
// Blocks take tokens in turn, threads take columns. Nothing is sorted and no memory is needed besides, but tokens with
// the same id queue up at the same addresses, and the order of addition, hence the last bits, changes from run to run.
#include "harness/op/variant.h"

namespace {

constexpr int64_t kBlocksMax = 65536;  // many times what fits on any device

template <class T>
__global__ void embedding_backward(const T* g,           // (tokens, dim)
                                   const uint32_t* ids,  // (tokens)
                                   float* dw,            // (vocab, dim)
                                   int64_t tokens, int64_t dim, int64_t vocab) {
  for (int64_t token = blockIdx.x; token < tokens; token += gridDim.x) {
    const int64_t id = ids[token];
    if (id >= vocab) continue;
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
      atomicAdd(&dw[id * dim + d], static_cast<float>(g[token * dim + d]));
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(embedding_backward<T>,
                  {.grid = dim3(call.grid(tokens < kBlocksMax ? tokens : kBlocksMax)), .block = dim3(call.block())},
                  call.in<T>("g"), call.in<uint32_t>("ids"), call.out<float>("dw"), tokens, dim, vocab);
  });
}

// PTX states that atom.add.f32 on global memory flushes subnormal inputs and results to zero. f16 is spared: its
// subnormal numbers are ordinary ones in f32.
std::optional<std::string> unsupported(const assay::Case& c) {
  if (!c.fill.starts_with("subnormal") || c.dtype == assay::DType::f16) return std::nullopt;
  return "float atomics on global memory flush subnormal numbers to zero";
}

const assay::RegisterVariant kVariant({.op = "embedding_backward",
                                       .name = "atomic_scatter",
                                       .summary = "an atomic addition per element; simple, contended, not reproducible",
                                       .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
                                       .any_grid = true,
                                       .deterministic = false,
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
