// One thread per element of y: the variant to read first.
//
// Accesses are coalesced, but two bytes or four at a time.
#include "kernels/device/grid.cuh"

namespace {

// in: (tokens, 2 dim)  y: (tokens, dim)
template <class T>
__global__ void swiglu(const T* in, T* y, int64_t tokens, int64_t dim) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * dim; i += step) {
    const T* gate = in + i / dim * 2 * dim + i % dim;
    const float a = static_cast<float>(gate[0]), b = static_cast<float>(gate[dim]);
    y[i] = static_cast<T>(a / (1 + expf(-a)) * b);  // exp may be infinite: a over that is 0
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(swiglu<T>, assay::device::striding(call, tokens * dim), call.in<T>("in"), call.out<T>("y"), tokens,
                  dim);
  });
}

const assay::RegisterVariant kVariant({.op = "swiglu_forward",
                                       .name = "elementwise",
                                       .summary = "a thread per element of y",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
