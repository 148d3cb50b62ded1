// One row of A in f32, as when a token is generated: a warp per row of weights.
//
// Neighbouring lanes read neighbouring elements of a row, so that each block is read by one warp at once, and its
// scales come from the cache. It takes M = 1 alone: more rows would read all weights again for each.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantised.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// a: (depth)  b: (cols, depth), in blocks  bias: (cols), or null  c: (cols)
template <class Weights>
__global__ void gemv(const float* a, const uint8_t* b, const float* bias, float* c, int64_t cols, int64_t depth) {
  const unsigned lane = threadIdx.x % kWarp;
  const int64_t col = int64_t{blockIdx.x} * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (col >= cols) return;
  const uint8_t* row = b + byte_of<Weights>(col * (depth / Weights::kElements));
  float sum = 0;
  for (int64_t k = lane; k < depth; k += kWarp)
    sum += a[k] *
           Weights::element(row + byte_of<Weights>(k / Weights::kElements), static_cast<int>(k % Weights::kElements));
  sum = warp_reduce(sum, Add());
  if (lane == 0) c[col] = bias ? sum + bias[col] : sum;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("M") != 1) return "one row of A: M = 1";
  if (c.text("activations") != "f32") return "activations in f32";
  if (c.dim("N") > INT32_MAX) return "at worst a block per column, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void adjust(assay::Case& c) {
  c.set("M", "1");
  c.set("activations", "f32");
}

void run(assay::Call& call) {
  const int64_t cols = call.dim("N");
  if (cols == 0) return;
  by_format(call.text("format"), [&]<class Weights>() {
    if constexpr (!std::is_same_v<Weights, Q8_K>)
      assay::launch(gemv<Weights>, thread_for_each(call, cols * kWarp), call.in<float>("a"), call.in<uint8_t>("b"),
                    call.in<float>("bias"), call.out<float>("c"), cols, call.dim("K"));
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_nt_quant",
                                       .name = "warp_per_column",
                                       .summary = "one row of A: a warp per row of weights",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128, 256, 512, 1024},
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .run = run});

}  // namespace
