// One thread per element of the output: the variant to read first.
//
// Writes are coalesced; reads stride through memory by a whole row of in, so that each fetches a sector for one
// element.
#include <algorithm>

#include "harness/op/variant.h"

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
  constexpr int64_t kBlocksMax = 65535;  // further elements by the loop
  const int64_t blocks = (rows * cols - 1) / call.block() + 1;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(transpose_2d<T>, {.grid = dim3(call.grid(std::min(blocks, kBlocksMax))), .block = dim3(call.block())},
                  call.in<T>("in"), call.out<T>("out"), rows, cols);
  });
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = "elementwise",
                                       .summary = "a thread per element of the output; reads are strided",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
