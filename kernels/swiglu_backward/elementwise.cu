// One thread per element of dy: the variant to read first.
//
// Accesses are coalesced, but two bytes or four at a time.
#include "kernels/device/grid.cuh"

namespace {

// in, din: (tokens, 2 dim)  dy: (tokens, dim)
template <class T>
__global__ void swiglu_backward(const T* in, const T* dy, T* din, int64_t tokens, int64_t dim) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * dim; i += step) {
    const int64_t gate = i / dim * 2 * dim + i % dim, up = gate + dim;
    const float a = static_cast<float>(in[gate]), b = static_cast<float>(in[up]), dy_i = static_cast<float>(dy[i]);
    const float s = 1 / (1 + expf(-a));  // exp may be infinite: s is 0 then
    din[gate] = static_cast<T>(dy_i * b * s * (1 + a * (1 - s)));
    din[up] = static_cast<T>(dy_i * a * s);
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("dim");
  if (tokens == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(swiglu_backward<T>, assay::device::striding(call, tokens * dim), call.in<T>("in"), call.in<T>("dy"),
                  call.out<T>("din"), tokens, dim);
  });
}

const assay::RegisterVariant kVariant({.op = "swiglu_backward",
                                       .name = "elementwise",
                                       .summary = "a thread per element of dy",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
