// One block per token, tree reductions in shared memory, r read again for each pass: the variant to read first.
//
// Any block size works. It normalises the sum, computed anew in f32, not r as it was stored.
#include "harness/op/variant.h"
#include "kernels/device/block_reduce.cuh"

namespace {

using assay::device::Add, assay::device::block_reduce;

// a, b, r, y: (gridDim.x, dim)  gamma, beta: (dim)  mean, rstd: (gridDim.x) f32. beta and mean are for layer alone. r
// may be a, and y may be b: each thread writes what it alone has read, y after its last pass.
template <class T>
__global__ void residual_norm(const T* a, const T* b, const T* gamma, const T* beta, T* r, T* y, float* mean,
                              float* rstd, int64_t dim, float eps, bool by_rms) {
  extern __shared__ float sums[];  // (dim)
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x * dim;

  float sum = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    sums[d] = static_cast<float>(a[row + d]) + static_cast<float>(b[row + d]);
    r[row + d] = static_cast<T>(sums[d]);
    sum += sums[d];
  }
  const float centre = by_rms ? 0 : block_reduce(sum, scratch, Add()) / static_cast<float>(dim);

  float squares = 0;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) squares += (sums[d] - centre) * (sums[d] - centre);
  const float inv = 1 / sqrtf(block_reduce(squares, scratch, Add()) / static_cast<float>(dim) + eps);
  if (threadIdx.x == 0) {
    if (!by_rms) mean[blockIdx.x] = centre;
    rstd[blockIdx.x] = inv;
  }

  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    const float scaled = (sums[d] - centre) * inv * static_cast<float>(gamma[d]);
    y[row + d] = static_cast<T>(by_rms ? scaled : scaled + static_cast<float>(beta[d]));
  }
}

constexpr int64_t kLongest = 8192;  // elements of a row in shared memory

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("T") > INT32_MAX) return "a block per token, and a grid has at most 2^31 - 1 blocks";
  if (c.dim("E") > kLongest) return "a row does not fit into shared memory: at most 8192 elements";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("E");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_norm<T>,
                  {.grid = dim3(static_cast<unsigned>(tokens)),
                   .block = dim3(call.block()),
                   .shared_bytes = static_cast<size_t>(dim) * sizeof(float)},
                  call.in<T>("a"), call.in<T>("b"), call.in<T>("gamma"), call.in<T>("beta"), call.out<T>("r"),
                  call.out<T>("y"), call.out<float>("mean"), call.out<float>("rstd"), dim, call.real("eps"),
                  call.text("norm") == "rms");
  });
}

const assay::RegisterVariant kVariant({.op = "residual_norm",
                                       .name = "block_per_row",
                                       .summary = "a block per token, the sum in shared memory",
                                       .blocks = {32, 33, 64, 96, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
