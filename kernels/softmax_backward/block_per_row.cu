// One block per row, two passes over it, a tree reduction in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the tree and two reads of y and g, element by element.
#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

template <class T>
__global__ void softmax_backward(const T* y, const T* g, T* dx, int64_t cols) {  // y, g, dx: (gridDim.x, cols)
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * cols;

  float dot = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    dot += static_cast<float>(y[row + c]) * static_cast<float>(g[row + c]);
  dot = block_reduce(dot, scratch, Add());

  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    dx[row + c] = static_cast<T>(static_cast<float>(y[row + c]) * (static_cast<float>(g[row + c]) - dot));
}

std::optional<std::string> too_many_rows(const assay::Case& c) {
  if (c.dim("rows") > INT32_MAX) return "a block per row, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_backward<T>, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(call.block())},
                  call.in<T>("y"), call.in<T>("g"), call.out<T>("dx"), cols);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_backward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, a tree reduction in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = too_many_rows,
                                       .run = run});

}  // namespace
