// One block per row, three passes over it, tree reductions in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the trees and three reads of x, whose rows are read element by
// element; warp_per_row does better on all three.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/scaled.cuh"
#include "kernels/device/softmax_rows.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void softmax_forward(const T* x, T* y, SoftmaxArgs a) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  const T* x_row = x + blockIdx.x * a.cols;
  T* y_row = y + blockIdx.x * a.cols;
  const int64_t seen = a.seen(blockIdx.x);

  float maximum = -INFINITY;
  for (int64_t c = threadIdx.x; c < seen; c += blockDim.x) maximum = Larger()(maximum, scaled(x_row[c], a.scale));
  maximum = block_reduce(maximum, scratch, Larger());

  float total = 0;
  for (int64_t c = threadIdx.x; c < seen; c += blockDim.x) total += expf(scaled(x_row[c], a.scale) - maximum);
  total = block_reduce(total, scratch, Add());

  for (int64_t c = threadIdx.x; c < a.cols; c += blockDim.x)
    y_row[c] = static_cast<T>(c < seen ? expf(scaled(x_row[c], a.scale) - maximum) / total : 0.0f);
}

void run(assay::Call& call) {
  const SoftmaxArgs a = softmax_args(call);
  if (a.rows == 0 || a.cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_forward<T>, block_for_each(call, a.rows), call.in<T>("x"), call.out<T>("y"), a);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, tree reductions in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .domains = every_softmax(),
                                       .unsupported = too_many_softmax_rows,
                                       .run = run});

}  // namespace
