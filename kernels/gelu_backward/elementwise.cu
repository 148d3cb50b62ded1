// One thread per element: the variant to read first.
#include "kernels/device/gelu.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

// x, dy, dx: (count)
template <class T>
__global__ void gelu(const T* x, const T* dy, T* dx, int64_t count, bool by_erf) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const float x_i = static_cast<float>(x[i]);
    dx[i] = static_cast<T>(gelu_slope(x_i, by_erf) * static_cast<float>(dy[i]));
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gelu<T>, striding(call, count), call.in<T>("x"), call.in<T>("dy"), call.out<T>("dx"), count,
                  call.text("form") == "erf");
  });
}

const assay::RegisterVariant kVariant({.op = "gelu_backward",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
