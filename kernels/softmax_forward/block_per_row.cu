// One block per row, three passes over it, tree reductions in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the trees and three reads of x, whose rows are read element by
// element; warp_per_row does better on all three.
#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace {

using assay::device::Add, assay::device::Larger, assay::device::block_reduce;

template <class T>
__global__ void softmax_forward(const T* x, T* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  const T* x_row = x + blockIdx.x * cols;
  T* y_row = y + blockIdx.x * cols;

  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) maximum = Larger()(maximum, static_cast<float>(x_row[c]));
  maximum = block_reduce(maximum, scratch, Larger());

  float total = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) total += expf(static_cast<float>(x_row[c]) - maximum);
  total = block_reduce(total, scratch, Add());

  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y_row[c] = static_cast<T>(expf(static_cast<float>(x_row[c]) - maximum) / total);
}

std::optional<std::string> too_many_rows(const assay::Case& c) {
  if (c.dim("rows") > INT32_MAX) return "a block per row, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_forward<T>, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(call.block())},
                  call.in<T>("x"), call.out<T>("y"), cols);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, tree reductions in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = too_many_rows,
                                       .run = run});

}  // namespace
