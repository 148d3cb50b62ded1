// One thread per element of y: the variant to read first.
#include "kernels/device/grid.cuh"

namespace {

// ids: (tokens)  w: (vocab, dim)  pos: (positions, dim), or null  y: (tokens, dim)
template <class T>
__global__ void embedding_forward(const uint32_t* ids, const T* w, const T* pos, T* y, int64_t tokens,
                                  int64_t positions, int64_t dim, int64_t vocab) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * dim; i += step) {
    const int64_t token = i / dim, d = i % dim, id = ids[token];
    float value = id < vocab ? static_cast<float>(w[id * dim + d]) : 0;
    if (id < vocab && pos != nullptr) value += static_cast<float>(pos[token % positions * dim + d]);
    y[i] = static_cast<T>(value);
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(embedding_forward<T>, assay::device::striding(call, tokens * dim), call.in<uint32_t>("ids"),
                  call.in<T>("w"), call.in<T>("pos"), call.out<T>("y"), tokens, call.dim("T"), dim, call.dim("vocab"));
  });
}

const assay::RegisterVariant kVariant({.op = "embedding_forward",
                                       .name = "elementwise",
                                       .summary = "a thread per element of y",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
