// One thread per element of C, which dequantises as it goes: the variant to read first.
//
// It takes every format and all activations. Each weight is decoded anew for every row of A.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantised.cuh"

namespace {

using namespace assay::device;

struct Floats {
  __device__ static float at(const void* a, int64_t i) { return static_cast<const float*>(a)[i]; }
};

template <class Format>
struct Blocks {
  __device__ static float at(const void* a, int64_t i) {
    return Format::element(static_cast<const uint8_t*>(a) + byte_of<Format>(i / Format::kElements),
                           static_cast<int>(i % Format::kElements));
  }
};

// a: (rows, depth), as Activations has it  b: (cols, depth), in blocks  bias: (cols), or null  c: (rows, cols)
template <class Weights, class Activations>
__global__ void gemm(const void* a, const uint8_t* b, const float* bias, float* c, int64_t rows, int64_t cols,
                     int64_t depth) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const int64_t row = i / cols, col = i % cols;
  float sum = bias ? bias[col] : 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += Activations::at(a, row * depth + k) * Blocks<Weights>::at(b, col * depth + k);
  c[i] = sum;
}

// Calls f.operator()<Activations>() for those that the case has.
template <class Weights, class F>
void by_activations(const assay::Call& call, F f) {
  if (call.text("activations") == "f32") return f.template operator()<Floats>();
  if constexpr (Weights::kElements == 32)
    f.template operator()<Blocks<Q8_0>>();
  else
    f.template operator()<Blocks<Q8_K>>();
}

std::optional<std::string> too_many_blocks(const assay::Case& c) {
  int64_t count = 0;
  if (__builtin_mul_overflow(c.dim("M"), c.dim("N"), &count) || count > int64_t{INT32_MAX} * *c.block)
    return "a thread per element of C, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N"), count = rows * cols;
  if (count == 0) return;
  by_format(call.text("format"), [&]<class Weights>() {
    if constexpr (!std::is_same_v<Weights, Q8_K>)
      by_activations<Weights>(call, [&]<class Activations>() {
        assay::launch(gemm<Weights, Activations>, thread_for_each(call, count), call.in<void>("a"),
                      call.in<uint8_t>("b"), call.in<float>("bias"), call.out<float>("c"), rows, cols, call.dim("K"));
      });
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_nt_quant",
                                       .name = "elementwise",
                                       .summary = "a thread per element of C, weights dequantised as they are read",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = too_many_blocks,
                                       .run = run});

}  // namespace
