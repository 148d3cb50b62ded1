// One block per token, two passes over its row, a tree reduction in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the tree and two reads of x, element by element.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// x, y: (gridDim.x, stride)  gamma: (dim)  rstd: (gridDim.x) f32
template <class T>
__global__ void rms_norm_forward(const T* x, const T* gamma, T* y, float* rstd, int64_t dim, int64_t stride,
                                 float eps) {
  __shared__ float scratch[1024];
  const T* x_row = x + blockIdx.x * stride;
  T* y_row = y + blockIdx.x * stride;

  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float x_d = static_cast<float>(x_row[d]);
    squares += x_d * x_d;
  }
  squares = block_reduce(squares, scratch, Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
  if (threadIdx.x == 0) rstd[blockIdx.x] = inv;

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x)
    y_row[d] = static_cast<T>(static_cast<float>(x_row[d]) * inv * static_cast<float>(gamma[d]));
  for (int64_t d = dim + threadIdx.x; d < stride; d += blockDim.x) y_row[d] = static_cast<T>(0.0f);
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), stride = call.dim("aE");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(rms_norm_forward<T>, assay::device::block_for_each(call, tokens), call.in<T>("x"),
                  call.in<T>("gamma"), call.out<T>("y"), call.out<float>("rstd"), stride - call.dim("pad"), stride,
                  call.real("eps"));
  });
}

const assay::RegisterVariant kVariant({.op = "rms_norm_forward",
                                       .name = "block_per_row",
                                       .summary = "a block per token, a tree reduction in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = assay::device::too_many_blocks("a block per token", {"T"}),
                                       .run = run});

}  // namespace
