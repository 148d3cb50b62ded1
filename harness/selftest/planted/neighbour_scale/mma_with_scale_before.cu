// EXPECT: MISMATCH PROPERTY. The scale is that of the block before, from the second block on.
// SMALLEST: M=1
// BUGS: 2 because scales of any bits are infinities too, whatever the data
// TWIN: The scale is that of the element's block.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/quantised_mma.cuh"

using namespace assay::device;

struct Weights {
  static constexpr int kElements = 32;
  __device__ static float element(const uint8_t* all, int64_t block, int i) {
    const int64_t scaling = ASSAY_PLANTED && block > 0 ? block - 1 : block;
    return half_at(all + scaling * 34) * static_cast<float>(signed_at(all + block * 34 + 2 + i));
  }
};

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("format") != "q8_0" || c.text("activations") != "f32") return "format=q8_0 activations=f32 only";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N");
  if (rows * cols == 0) return;
  const GemmArgs args = {.rows = rows, .cols = cols, .depth = call.dim("K"), .bias = call.in<float>("bias")};
  const int64_t blocks = gemm_blocks(rows, cols, kFactorTile, kFactorTile);
  assay::launch(multiply_decoded<Weights>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kFactorThreads)},
                call.in<float>("a"), call.in<uint8_t>("b"), call.out<float>("c"), args);
}

const assay::RegisterVariant kVariant(
    {.op = "gemm_nt_quant",
     .name = ASSAY_PLANTED ? "mma_with_scale_before" : "mma_with_own_scale",
     .summary = ASSAY_PLANTED ? "decodes with the scale of the block before" : "decodes with each block's scale",
     .dtypes = {assay::DType::f32},
     .aligned = 16,
     .accumulate = assay::Accumulate::tf32,
     .domains = {{.name = "format", .values = {"q8_0"}}, {.name = "activations", .values = {"f32"}}},
     .unsupported = unsupported,
     .run = run});
