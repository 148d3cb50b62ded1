// One block per group, tree reductions in shared memory, dw by float atomics: the variant to read first.
//
// Any block size works. The atomics make dw's last bits depend on the order in which blocks run, and all groups meet at
// the same dim addresses.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// x, g, dx: (gridDim.x, dim)  w: (dim)  dw: (dim) f32
template <class T>
__global__ void rms_norm_backward(const T* x, const T* g, const T* w, T* dx, float* dw, int64_t dim, float eps) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * dim;

  float squares = 0, dot = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float x_d = static_cast<float>(x[row + d]);
    squares += x_d * x_d;
    dot += x_d * static_cast<float>(w[d]) * static_cast<float>(g[row + d]);
  }
  squares = block_reduce(squares, scratch, Add());
  dot = block_reduce(dot, scratch, Add());
  const float inv = 1 / sqrtf(squares / static_cast<float>(dim) + eps);
  const float factor = inv * inv * inv * dot / static_cast<float>(dim);

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float x_d = static_cast<float>(x[row + d]), g_d = static_cast<float>(g[row + d]);
    dx[row + d] = static_cast<T>(static_cast<float>(w[d]) * inv * g_d - x_d * factor);
    atomicAdd(&dw[d], x_d * inv * g_d);
  }
}

void run(assay::Call& call) {
  const int64_t groups = call.dim("G"), dim = call.dim("dim");
  if (groups == 0 || dim == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(rms_norm_backward<T>, assay::device::block_for_each(call, groups), call.in<T>("x"), call.in<T>("g"),
                  call.in<T>("w"), call.out<T>("dx"), call.out<float>("dw"), dim, call.real("eps"));
  });
}

const assay::RegisterVariant kVariant({.op = "rms_norm_backward",
                                       .name = "block_per_group",
                                       .summary = "a block per group; dw by float atomics, so not deterministic",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .deterministic = false,
                                       .unsupported = assay::device::too_many_blocks("a block per group", {"G"}),
                                       .run = run});

}  // namespace
