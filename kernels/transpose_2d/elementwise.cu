// One thread per element of the output: the variant to read first.
//
// Writes are coalesced; reads stride through memory by a whole row of in, so that each fetches a sector for one
// element.
#include "kernels/device/grid.cuh"

namespace {

template <class T>
__global__ void transpose_2d(const T* in, T* out, int64_t rows, int64_t cols) {  // in: (rows, cols)  out: (cols, rows)
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * cols; i += step)
    out[i] = in[(i % rows) * cols + i / rows];
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(transpose_2d<T>, assay::device::striding(call, rows * cols), call.in<T>("in"), call.out<T>("out"),
                  rows, cols);
  });
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = "elementwise",
                                       .summary = "a thread per element of the output; reads are strided",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
