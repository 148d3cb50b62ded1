// One block per row, two passes over it, a tree reduction in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the tree and two reads of y and g, element by element.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/softmax_rows.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void softmax_backward(const T* y, const T* g, T* dx, SoftmaxArgs a) {  // y, g, dx: (gridDim.x, cols)
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * a.cols, seen = a.seen(blockIdx.x);

  float dot = 0;
  for (int64_t c = threadIdx.x; c < seen; c += blockDim.x)
    dot += static_cast<float>(y[row + c]) * static_cast<float>(g[row + c]);
  dot = block_reduce(dot, scratch, Add());

  for (int64_t c = threadIdx.x; c < a.cols; c += blockDim.x) {
    const float each = c < seen ? static_cast<float>(y[row + c]) * (static_cast<float>(g[row + c]) - dot) : 0.0f;
    dx[row + c] = static_cast<T>(a.scale * each);
  }
}

void run(assay::Call& call) {
  const SoftmaxArgs a = softmax_args(call);
  if (a.rows == 0 || a.cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_backward<T>, block_for_each(call, a.rows), call.in<T>("y"), call.in<T>("g"),
                  call.out<T>("dx"), a);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_backward",
                                       .name = "block_per_row",
                                       .summary = "a block per row, a tree reduction in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .domains = every_softmax(),
                                       .unsupported = too_many_softmax_rows,
                                       .run = run});

}  // namespace
