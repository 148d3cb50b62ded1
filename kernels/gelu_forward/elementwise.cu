// One thread per element: the variant to read first.
#include "kernels/device/gelu.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

// x, y: (count)
template <class T>
__global__ void gelu(const T* x, T* y, int64_t count, bool by_erf) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const float x_i = static_cast<float>(x[i]);
    y[i] = static_cast<T>(x_i * gelu_gate(x_i, by_erf));
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gelu<T>, striding(call, count), call.in<T>("x"), call.out<T>("y"), count, call.text("form") == "erf");
  });
}

const assay::RegisterVariant kVariant({.op = "gelu_forward",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
