// EXPECT: UNWRITTEN. A thread goes on by twice the threads of the grid, so half of what the first step leaves is never
// copied: seen where the grid has fewer threads than there are elements.
// SMALLEST: f32 block=32 grid=1
// TWIN: A thread goes on by the threads of the grid.
#include "harness/selftest/planted_kernel.cuh"

template <class T>
__global__ void transpose_2d(const T* in, T* out, int64_t rows, int64_t cols) {  // in: (rows, cols)  out: (cols, rows)
  const int64_t step = (ASSAY_PLANTED ? 2 : 1) * int64_t{gridDim.x} * blockDim.x;
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

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "transpose_2d",
                              .name = ASSAY_PLANTED ? "every_other_step_copied" : "every_step_copied",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .any_grid = true,
                              .run = run});
