// EXPECT: UNWRITTEN. A thread goes on by twice the threads of the grid, so half of what the first step leaves is never
// copied: seen where the grid has fewer threads than there are elements.
// SMALLEST: f32 block=32 grid=1
// TWIN: A thread goes on by the threads of the grid.
#include <algorithm>

#include "harness/op/variant.h"

namespace {

template <class T>
__global__ void transpose_2d(const T* in, T* out, int64_t rows, int64_t cols) {  // in: (rows, cols)  out: (cols, rows)
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
#if ASSAY_PLANTED
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * cols; i += 2 * step)
#else
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * cols; i += step)
#endif
    out[i] = in[(i % rows) * cols + i / rows];
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  constexpr int64_t kBlocksMax = 65535;
  const int64_t blocks = std::min<int64_t>(assay::ceil_div(rows * cols, call.block()), kBlocksMax);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(transpose_2d<T>, {.grid = dim3(call.grid(blocks)), .block = dim3(call.block())}, call.in<T>("in"),
                  call.out<T>("out"), rows, cols);
  });
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = ASSAY_PLANTED ? "every_other_step_copied" : "every_step_copied",
                                       .summary = ASSAY_PLANTED ? "skips every other step of its grid"
                                                                : "takes every step of its grid",
                                       .blocks = {32, 64, 96, 128},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
