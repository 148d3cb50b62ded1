// Weights dequantised into shared memory, a tile at a time, and multiplied there by tensor cores: for many rows of A.
//
// Against elementwise: a weight is decoded once for 64 rows of A, and mma.sync of 16 by 8 by 8 does the products. The
// price is precision, which it declares: both factors are rounded to the nearest tf32.
#include "harness/op/variant.h"
#include "kernels/device/quantised_mma.cuh"

namespace {

using namespace assay::device;

template <class Format>
struct Weights {
  static constexpr int kElements = Format::kElements;
  __device__ static float element(const uint8_t* all, int64_t block, int i) {
    return Format::element(all + byte_of<Format>(block), i);
  }
};

GemmArgs args_of(const assay::Case& c, const float* bias) {
  return {.rows = c.dim("M"), .cols = c.dim("N"), .depth = c.dim("K"), .bias = bias};
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("activations") != "f32") return "activations in f32";
  return too_many_tiles(c, kFactorTile);
}

void adjust(assay::Case& c) { c.set("activations", "f32"); }

void run(assay::Call& call) {
  const GemmArgs args = args_of(call.c(), call.in<float>("bias"));
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kFactorTile, kFactorTile);
  by_format(call.text("format"), [&]<class Format>() {
    if constexpr (!std::is_same_v<Format, Q8_K>)
      assay::launch(multiply_decoded<Weights<Format>>,
                    {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kFactorThreads)}, call.in<float>("a"),
                    call.in<uint8_t>("b"), call.out<float>("c"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_nt_quant",
                                       .name = "tensor_core",
                                       .summary = "many rows of A: weights dequantised to shared memory for mma.sync",
                                       .dtypes = {assay::DType::f32},
                                       .aligned = 16,  // of cp.async
                                       .accumulate = assay::Accumulate::tf32,
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .run = run});

}  // namespace
