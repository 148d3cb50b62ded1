// One thread per element: the variant to read first.
//
// Each thread reads its block's scales again, byte by byte; the cache has them.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantised.cuh"

namespace {

using namespace assay::device;

template <class Format, class T>
__global__ void dequantize(const uint8_t* q, T* y, int64_t count) {  // q: (count / elements, bytes)  y: (count)
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = static_cast<T>(
        Format::element(q + byte_of<Format>(i / Format::kElements), static_cast<int>(i % Format::kElements)));
}

void run(assay::Call& call) {
  const int64_t count = call.dim("rows") * call.dim("K");
  if (count == 0) return;
  by_format(call.text("format"), [&]<class Format>() {
    assay::by_dtype(call, [&]<class T>() {
      assay::launch(dequantize<Format, T>, striding(call, count), call.in<uint8_t>("q"), call.out<T>("y"), count);
    });
  });
}

const assay::RegisterVariant kVariant({.op = "dequantize",
                                       .name = "elementwise",
                                       .summary = "a thread per element, scales read anew for each",
                                       .blocks = {1, 32, 33, 64, 100, 128, 256, 512, 1024},
                                       .any_grid = true,
                                       .element_at = blocks_element_at,
                                       .run = run});

}  // namespace
