// One block per token, three passes over its row, tree reductions in shared memory: the variant to read first.
//
// Any block size works. Costs a barrier per level of the tree and three reads of x, element by element.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// x, y: (gridDim.x, dim)  gamma, beta: (dim)  mean, rstd: (gridDim.x) f32
template <class T>
__global__ void layer_norm_forward(const T* x, const T* gamma, const T* beta, T* y, float* mean, float* rstd,
                                   int64_t dim, float eps) {
  __shared__ float scratch[1024];
  x += blockIdx.x * dim;
  y += blockIdx.x * dim;

  float sum = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) sum += static_cast<float>(x[d]);
  const float centre = block_reduce(sum, scratch, Add()) / static_cast<float>(dim);

  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float deviation = static_cast<float>(x[d]) - centre;
    squares += deviation * deviation;
  }
  const float inv = 1 / sqrtf(block_reduce(squares, scratch, Add()) / static_cast<float>(dim) + eps);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = centre;
    rstd[blockIdx.x] = inv;
  }

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float normalised = (static_cast<float>(x[d]) - centre) * inv;
    y[d] = static_cast<T>(normalised * static_cast<float>(gamma[d]) + static_cast<float>(beta[d]));
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(layer_norm_forward<T>, assay::device::block_for_each(call, tokens), call.in<T>("x"),
                  call.in<T>("gamma"), call.in<T>("beta"), call.out<T>("y"), call.out<float>("mean"),
                  call.out<float>("rstd"), call.dim("E"), call.real("eps"));
  });
}

const assay::RegisterVariant kVariant({.op = "layer_norm_forward",
                                       .name = "block_per_row",
                                       .summary = "a block per token, tree reductions in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = assay::device::too_many_blocks("a block per token", {"T"}),
                                       .run = run});

}  // namespace
